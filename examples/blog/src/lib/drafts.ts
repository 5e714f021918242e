/** What the editor does with a draft. */
import { field } from './format';
import { type DraftData, DraftPart, graphql } from './graphql';
import { type Service, ServiceError } from './service';

const SAVE = graphql(`mutation SaveDraft($id: ID!, $input: UpdateDraftInput!, $revision: Int) {
  updateDraft(id: $id, ifRevision: $revision, input: $input) { id revision updatedAt imageId }
}`);
const CREATE = graphql(`mutation CopyDraft($input: DraftInput!) { createDraft(input: $input) { id revision } }`);
const PUBLISH = graphql(`mutation Publish($id: ID!, $revision: Int) {
  publishDraft(id: $id, ifRevision: $revision) { slug }
}`);
const SCHEDULE = graphql(`mutation Schedule($id: ID!, $revision: Int, $publishAt: DateTime!) {
  scheduleDraft(id: $id, ifRevision: $revision, publishAt: $publishAt) { id revision }
}`);
const UNSCHEDULE = graphql(`mutation Unschedule($id: ID!) { unscheduleDraft(id: $id) { id revision } }`);
const SHARE = graphql(`mutation Share($id: ID!) { shareDraft(id: $id) { token expiresAt } }`);
const UNSHARE = graphql(`mutation Unshare($id: ID!) { unshareDraft(id: $id) { expiresAt } }`);
const DELETE = graphql(`mutation DeleteDraft($id: ID!) { deleteDraft(id: $id) { id } }`);
const PREVIEW = graphql(`query Preview($content: String!) { previewArticle(content: $content) { contentHtml } }`);
const STORED = graphql(`query Stored($id: ID!) { draft(id: $id) { ...DraftPart } }`, [DraftPart]);
const ARTICLE = graphql(`query Based($id: ID!) { article(id: $id) { revision } }`);

/** What a step of the editor results in. */
export interface Outcome {
  revision?: number;
  /** Another window saved: what it stored. */
  conflict?: DraftData;
  html?: string;
  url?: string;
  shareToken?: string;
  /** Where the editor leads to next. */
  to?: string;
  /** The article was changed since the draft began. */
  articleChanged?: boolean;
}

/** The fields of the editor. `title` is in each form of it. */
export function inputOf(form: FormData) {
  return {
    title: field(form, 'title'),
    content: field(form, 'content'),
    tags: field(form, 'tags')
      .split(',')
      .map((tag) => tag.trim().replace(/^#/, ''))
      .filter(Boolean),
    category: field(form, 'category'),
    slug: field(form, 'slug'),
    visibility: field(form, 'visibility') === 'PRIVATE' ? ('PRIVATE' as const) : ('PUBLIC' as const),
    articleImgAlt: field(form, 'articleImgAlt'),
    description: field(form, 'description'),
    canonicalUrl: field(form, 'canonicalUrl'),
    language: field(form, 'language'),
    // Empty: as before.
    translationOf: field(form, 'translationOf') || null,
  };
}

export async function storedDraft(service: Service, id: string): Promise<DraftData> {
  const { draft } = await service.query(STORED, { id });
  if (!draft) throw new ServiceError('DRAFT_NOT_FOUND');
  return draft;
}

/** Saves the draft of the form, and then does what its button says. */
export async function saveDraft(service: Service, id: string, form: FormData): Promise<Outcome> {
  const step = field(form, 'do');
  if (step === 'preview') {
    const { previewArticle } = await service.query(PREVIEW, { content: field(form, 'content') });
    return { html: previewArticle?.contentHtml ?? '' };
  }
  const file = form.get('file');
  if (step === 'image' && file instanceof File) return { url: (await service.upload(file)).url };
  if (step === 'copy') {
    const { createDraft } = await service.query(CREATE, { input: inputOf(form) });
    return { to: `/write/${createDraft.id}` };
  }
  if (step === 'delete') {
    await service.query(DELETE, { id });
    return { to: '/write' };
  }
  const cover = form.get('cover');
  const image = cover instanceof File && cover.size > 0 ? { imageId: (await service.upload(cover)).id } : {};
  const removal = field(form, 'removeImage') ? { removeImage: true } : {};
  const base = step === 'rebase' ? await currentBase(service, field(form, 'articleId')) : {};
  let revision: number;
  try {
    const input = { ...inputOf(form), ...image, ...removal, ...base };
    const { updateDraft } = await service.query(SAVE, { id, input, revision: Number(field(form, 'revision')) || null });
    revision = updateDraft.revision;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'PRECONDITION_FAILED')
      return { conflict: await storedDraft(service, id) };
    throw error;
  }
  switch (step) {
    case 'publish':
    case 'rebase':
      try {
        const { publishDraft } = await service.query(PUBLISH, { id, revision });
        return { revision, to: `/articles/${encodeURIComponent(publishDraft.slug)}` };
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'REVISION_CONFLICT')
          return { revision, articleChanged: true };
        throw error;
      }
    case 'schedule': {
      // The browser says how far its clock is from UTC; without scripts, the field is in UTC.
      const time = new Date(`${field(form, 'publishAt')}Z`).getTime() + Number(field(form, 'offset')) * 60_000;
      if (Number.isNaN(time)) throw new ServiceError('VALIDATION_FAILED', '', [{ field: 'publishAt', message: '?' }]);
      const publishAt = new Date(time).toISOString();
      const { scheduleDraft } = await service.query(SCHEDULE, { id, revision, publishAt });
      return { revision: scheduleDraft.revision, to: `/write/${id}` };
    }
    case 'unschedule':
      return { revision: (await service.query(UNSCHEDULE, { id })).unscheduleDraft.revision, to: `/write/${id}` };
    case 'share':
      return { revision, shareToken: (await service.query(SHARE, { id })).shareDraft.token };
    case 'unshare':
      await service.query(UNSHARE, { id });
      return { revision, to: `/write/${id}` };
    default:
      return image.imageId || removal.removeImage ? { revision, to: `/write/${id}` } : { revision };
  }
}

async function currentBase(service: Service, articleId: string): Promise<{ baseRevision?: number }> {
  const { article } = await service.query(ARTICLE, { id: articleId });
  return article ? { baseRevision: article.revision } : {};
}
