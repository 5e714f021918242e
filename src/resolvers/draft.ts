/** Drafts, visible to and changeable by their authors only. */
import type { GraphQLResolveInfo } from 'graphql';
import type { InferAttributes } from 'sequelize';
import { Arg, Args, Ctx, FieldResolver, Info, Int, Resolver, Root } from 'type-graphql';
import { createDraft, deleteDraft, findUnchangedDraft, saveDraft, startDraft } from '../commands/save-draft.js';
import type { Context } from '../context.js';
import { type RootResult, withRevision } from '../execute.js';
import { metadataOf } from '../models/article/metadata.js';
import { normalizeSlug } from '../models/article/slug.js';
import { approximateExcerpt, MAX_EXCERPT_LENGTH } from '../models/article/text.js';
import {
  ARTICLE_TO_DRAFT,
  DRAFT_OF_MEMBER,
  DRAFT_PAGE,
  DRAFT_TEXTS,
  type Draft,
  type DraftRow,
} from '../models/draft/draft.js';
import type { Author, DraftChanges } from '../models/draft/save.js';
import { normalizeTags } from '../models/tag.js';
import { invalid } from '../platform/errors.js';
import { requireRevision } from '../platform/http/if-match.js';
import { createMessage } from '../platform/messages/message.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { OwnArticleArgs } from '../schema/article.js';
import { AuthorizedMutation, AuthorizedQuery, WhileSuspended } from '../schema/auth.js';
import { ConditionalIdArgs } from '../schema/condition.js';
import { CONTENT_COST } from '../schema/cost.js';
import { CountsAsDraft, DraftInput, DraftPage, DraftsArgs, DraftType, UpdateDraftArgs } from '../schema/draft.js';
import { IMAGE_HEIGHT, IMAGE_WIDTH, ImageSizeType } from '../schema/image.js';
import { pageSlice, toPage } from '../schema/page.js';
import { LimitedAs, MaxItems, MaxLength } from '../schema/response-limits.js';
import { IdArgs } from '../schema/scalars.js';
import { InParentRow } from '../schema/statements.js';
import { readerOf, requireAuthor, requireNotRemoved, requireOwnArticle, viewerOf } from '../services/auth/policy.js';
import { IMAGE_WIDTHS, type SizedImage, sizesOf } from '../services/images/store.js';
import { countDraftWrite } from '../services/limits/writes.js';
import { publicationTime } from './publication-time.js';
import { parseId, parseTranslationOf, requireRow } from './row.js';
import { selectionIncludes } from './selection.js';

@Resolver(() => DraftType)
export class DraftResolver {
  @ApiTokenScopes('articles', 'drafts')
  @AuthorizedQuery(() => DraftPage, { description: 'Your drafts, the last changed one first.' })
  async drafts(@Args(() => DraftsArgs) args: DraftsArgs, @Ctx() context: Context, @Info() info: GraphQLResolveInfo) {
    const { memberId, seesPrivate } = authorOf(context);
    const { limit, offset } = pageSlice(args);
    const withContent = selectionIncludes(info, 'contents.content');
    const values = [memberId, seesPrivate, args.scheduled ?? null, withContent, limit, offset] as const;
    const rows = await context.database.query(DRAFT_PAGE, [...values]);
    return toPage(args, { contents: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 });
  }

  @ApiTokenScopes('articles', 'drafts')
  @AuthorizedQuery(() => DraftType, { description: 'One of your drafts.' })
  async draft(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<RootResult<DraftRow>> {
    return withRevision(await requireOwnDraft(context, parseId(id, 'DRAFT_NOT_FOUND')));
  }

  @CountsAsDraft()
  @ApiTokenScopes('articles', 'drafts')
  @AuthorizedMutation(() => DraftType, { description: 'Creates a draft of a new article.' })
  async createDraft(
    @Arg('input', () => DraftInput, { description: 'The new draft.' }) input: DraftInput,
    @Ctx() context: Context,
  ): Promise<RootResult<DraftRow>> {
    const author = authorOf(context);
    const { translationOf, ...others } = changesOf(context, input);
    // A new article has no translations to leave.
    const changes: DraftChanges = { ...others, ...(translationOf && { translationOf }) };
    const { content = '' } = changes;
    const write = { memberId: author.memberId, textBytes: Buffer.byteLength(content) };
    const created = await countDraftWrite(context, write, () => createDraft(context.database, author, changes));
    addShownArticles(context, created);
    return withRevision({ ...created, content });
  }

  @CountsAsDraft()
  @ApiTokenScopes('articles', 'drafts')
  @AuthorizedMutation(() => DraftType, {
    description: 'Changes one of your drafts. Without a difference, nothing is written.',
  })
  async updateDraft(
    @Args(() => UpdateDraftArgs) { id, input }: UpdateDraftArgs,
    @Ctx() context: Context,
  ): Promise<RootResult<DraftRow>> {
    if (input.imageId != null && input.removeImage)
      throw invalid('removeImage', createMessage('cannotCombineWithImage'));
    const author = authorOf(context);
    const changes: DraftChanges = {
      ...changesOf(context, input),
      ...(input.removeImage && { imageId: null }),
      ...(input.baseRevision != null && { baseRevision: input.baseRevision }),
    };
    const draftId = parseId(id, 'DRAFT_NOT_FOUND');
    const write = { memberId: author.memberId, textBytes: Buffer.byteLength(changes.content ?? '') };
    const saved = await countDraftWrite(
      context,
      write,
      () => saveDraft(context.database, draftId, author, changes, context.ifMatch),
      {
        findUnchanged: () => findUnchangedDraft(context.database, draftId, author, changes, context.ifMatch),
        isChange: ({ isSaved }) => isSaved,
      },
    );
    addShownArticles(context, saved);
    return withRevision({ ...saved, content: changes.content ?? null });
  }

  @WhileSuspended()
  @CountsAsDraft()
  @ApiTokenScopes('articles', 'drafts')
  @AuthorizedMutation(() => DraftType, { description: 'Deletes one of your drafts.' })
  async deleteDraft(
    @Args(() => ConditionalIdArgs) { id }: ConditionalIdArgs,
    @Ctx() context: Context,
  ): Promise<DraftRow> {
    const draft = await requireOwnDraft(context, parseId(id, 'DRAFT_NOT_FOUND'));
    const write = { memberId: draft.memberId, textBytes: 0 };
    await countDraftWrite(context, write, () =>
      deleteDraft(context.database, draft.id, requireChangeableDraft(context)),
    );
    return draft;
  }

  @CountsAsDraft()
  @ApiTokenScopes('articles', 'drafts')
  @AuthorizedMutation(() => DraftType, {
    description: 'Starts a draft of one of your articles, or returns the existing one.',
  })
  async startDraft(
    @Args(() => OwnArticleArgs) { articleId }: OwnArticleArgs,
    @Ctx() context: Context,
  ): Promise<RootResult<DraftRow>> {
    const author = authorOf(context);
    const id = parseId(articleId, 'ARTICLE_NOT_FOUND');
    const find = async () => {
      const [found] = await context.database.query(ARTICLE_TO_DRAFT, [id, author.memberId]);
      const article = requireRow(found, 'ARTICLE_NOT_FOUND');
      requireOwnArticle(context)(article);
      requireNotRemoved(article.isRemoved && article.draftId === null, 'ARTICLE_FORBIDDEN');
      return article;
    };
    const { bytes, draftId } = await find();
    const start = () => startDraft(context.database, id, author);
    const started =
      draftId ??
      (await countDraftWrite(context, { memberId: author.memberId, textBytes: bytes }, start, { isChange: Boolean }));
    // Another request may have started one.
    const existing = started ?? requireRow((await find()).draftId, 'ARTICLE_NOT_FOUND');
    return withRevision(await requireOwnDraft(context, existing));
  }

  @InParentRow()
  @LimitedAs(() => DraftInput, 'content')
  @FieldResolver(() => String, { description: 'The content in Markdown; may be empty.', complexity: CONTENT_COST })
  async content(@Root() draft: DraftRow, @Ctx() context: Context): Promise<string> {
    if (draft.content !== null) return draft.content;
    const texts = context.loaders.byId(DRAFT_TEXTS, viewerOf(context).memberId);
    return requireRow(await texts.load(draft.id), 'DRAFT_NOT_FOUND').content;
  }

  @InParentRow()
  @MaxLength(MAX_EXCERPT_LENGTH)
  @FieldResolver(() => String, {
    description:
      'The beginning of the content as plain text, at most 200 characters, without headings, alternative texts and footnotes.',
  })
  async excerpt(@Root() draft: DraftRow, @Ctx() context: Context): Promise<string> {
    return approximateExcerpt(draft.beginning ?? (await this.content(draft, context)));
  }

  @InParentRow()
  @FieldResolver(() => String, {
    nullable: true,
    description: 'URL of the image that the article will have; null if there is none.',
  })
  articleImg(@Root() { image }: DraftRow, @Ctx() { images, config }: Context): string | null {
    return image && images.url(image, config.publicUrl);
  }

  @InParentRow()
  @LimitedAs(() => DraftInput, 'articleImgAlt')
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Alternative text that the image will have; null if there is none.',
  })
  articleImgAlt(@Root() { imageAlt }: DraftRow): string | null {
    return imageAlt;
  }

  @InParentRow()
  @FieldResolver(() => Int, { nullable: true, description: IMAGE_WIDTH })
  articleImgWidth(@Root() { imageWidth }: DraftRow): number | null {
    return imageWidth;
  }

  @InParentRow()
  @FieldResolver(() => Int, { nullable: true, description: IMAGE_HEIGHT })
  articleImgHeight(@Root() { imageHeight }: DraftRow): number | null {
    return imageHeight;
  }

  @InParentRow()
  @MaxItems(IMAGE_WIDTHS.length)
  @FieldResolver(() => [ImageSizeType], {
    description: 'The smaller sizes of this image, by width; empty if there are none.',
  })
  articleImgSizes(@Root() { image, imageWidth }: DraftRow, @Ctx() { images, config }: Context): SizedImage[] {
    return image === null ? [] : sizesOf(images, image, imageWidth, config.publicUrl);
  }
}

/** @returns a check that throws DRAFT_NOT_FOUND for the draft of another member, PRECONDITION_FAILED */
export function requireChangeableDraft(context: Context): (draft: InferAttributes<Draft>) => void {
  const viewer = viewerOf(context);
  return ({ memberId, revision }) => {
    requireAuthor(viewer, memberId, 'DRAFT_NOT_FOUND');
    requireRevision(context.ifMatch, revision);
  };
}

/** @throws AppError DRAFT_NOT_FOUND, also for the drafts of others */
export async function requireOwnDraft(context: Context, id: number): Promise<DraftRow> {
  const { memberId, seesPrivate } = authorOf(context);
  const [found] = await context.database.query(DRAFT_OF_MEMBER, [id, memberId, seesPrivate]);
  const draft = requireRow(found, 'DRAFT_NOT_FOUND');
  addShownArticles(context, draft);
  return draft;
}

/** As whom the viewer reads and writes drafts. */
export function authorOf(context: Context): Author {
  const { memberId, credentialId, scopes } = viewerOf(context);
  const mayPublish = scopes?.has('articles') ?? true;
  return { memberId, credentialId, seesPrivate: readerOf(context).articleReaderId > 0, mayPublish };
}

/** A response that is stored for a key is not repeated to an API token that does not see the articles. */
function addShownArticles({ loaders }: Context, { articleId, translationOf, memberId }: Omit<DraftRow, 'content'>) {
  for (const id of [articleId, translationOf]) if (id) loaders.addShown('articles', [{ id, memberId }]);
}

function changesOf(context: Context, input: DraftInput): DraftChanges {
  const { title, content, category, tags, slug, visibility, imageId, articleImgAlt } = input;
  const translationOf = parseTranslationOf(input.translationOf);
  const publishedAt = publicationTime(context, input.publishedAt);
  return {
    ...(title != null && { title }),
    ...metadataOf(input),
    ...(content != null && { content }),
    ...(category != null && { category }),
    ...(tags != null && { tags: normalizeTags(tags) }),
    ...(slug != null && { slug: normalizeSlug(slug) }),
    ...(visibility != null && { isPrivate: visibility === 'PRIVATE' }),
    ...(imageId != null && { imageId: parseId(imageId, 'IMAGE_NOT_FOUND') }),
    ...(articleImgAlt != null && { articleImgAlt }),
    ...(translationOf !== null && { translationOf }),
    ...(publishedAt && { publishedAt }),
  };
}
