/** Writes one draft of a source: a text that is not published yet. */

import { metadataSql } from '../models/article/metadata.js';
import { MAX_DRAFT_BYTES, MAX_DRAFTS } from '../models/draft/draft.js';
import { SCHEDULE_DRAFT } from '../models/draft/publication.js';
import { statement } from '../platform/database/statement.js';
import { featureKeyOf, metadataOfPlan, placesOfMetadata, saveCategory } from './articles.js';
import { saveMembers } from './members.js';
import type { StoredPicture } from './pictures.js';
import { type ArticlePlan, nameOf } from './plan.js';
import { note, type Report, type Result } from './report.js';
import { findImported, recordImported, type Writer } from './writer.js';

/** No row if it exceeds the limits of the author. */
export const ADD_DRAFT = statement<
  [
    memberId: number,
    title: string,
    content: string,
    categoryId: number | null,
    tags: readonly string[],
    slug: string | null,
    imageId: number | null,
    imageAlt: string | null,
    createdAt: Date,
    updatedAt: Date,
    publishedAt: Date | null,
    exportKey: string | null,
    maxDrafts: number,
    maxBytes: number,
    ...metadata: (string | null)[],
  ],
  { id: number }
>(
  'import_add_draft',
  `insert into drafts (member_id, title, content, category_id, tags, slug, image_id, image_alt, created_at, updated_at, published_at, key, ${metadataSql()})
   select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, coalesce($12::uuid, gen_random_uuid()), ${placesOfMetadata(15)}
   where not exists (select from draft_counts where member_id = $1 and (drafts >= $13 or bytes + octet_length($3::text) > $14))
   returning id`,
);

/** No row if the draft was published or deleted. */
export const FIND_DRAFT = statement<[draftId: number], { memberId: number; categoryId: number | null }>(
  'import_find_draft',
  'select member_id as "memberId", category_id as "categoryId" from drafts where id = $1',
);

/** A draft that an earlier import added is not added again, even if it was published or deleted meanwhile. */
export async function saveDraft(
  writer: Writer,
  plan: ArticlePlan,
  image: StoredPicture | null,
  report: Report,
): Promise<Result> {
  const draftId = (await findImported(writer, 'draft', [plan.key])).get(plan.key);
  if (draftId !== undefined) return countExisting(writer, draftId, report);
  if ((await findImported(writer, 'article', [plan.key])).size > 0) {
    report.existing.articles++;
    return 'unchanged';
  }
  const authorId = (await saveMembers(writer, [plan.author], report)).get(plan.author) ?? null;
  if (authorId === null) {
    report.addNotes([note('skipped', 'drafts whose author was removed from the journal', nameOf(plan))]);
    return 'skipped';
  }
  const { categoryId, tags } = await saveCategory(writer, authorId, plan, report);
  const { title, content, category, slug, publishAt, createdAt, updatedAt, publishedAt } = plan;
  const text = [title, content, category === null ? null : categoryId, tags, slug || null] as const;
  const picture = [image?.id ?? null, image ? plan.imageAlt : null] as const;
  const limits = [MAX_DRAFTS, MAX_DRAFT_BYTES] as const;
  const [draft] = await writer.run(ADD_DRAFT, [
    authorId,
    ...text,
    ...picture,
    createdAt,
    updatedAt,
    publishedAt,
    plan.exportKey,
    ...limits,
    ...metadataOfPlan(plan),
  ]);
  if (!draft) {
    const mebibytes = MAX_DRAFT_BYTES / 1024 / 1024;
    const reason = `drafts beyond ${MAX_DRAFTS} or ${mebibytes} MiB of their author: delete some, and run the import again`;
    report.addNotes([note('skipped', reason, nameOf(plan))]);
    return 'skipped';
  }
  await recordImported(writer, 'draft', [{ key: plan.key, id: draft.id }]);
  if (image) await recordImported(writer, 'image', [{ key: featureKeyOf(plan.key), id: image.id }]);
  if (publishAt) await writer.run(SCHEDULE_DRAFT, [draft.id, publishAt.toISOString()]);
  report.added.drafts++;
  report.addNotes(plan.notes);
  return 'created';
}

async function countExisting({ run }: Writer, draftId: number, report: Report): Promise<Result> {
  report.existing.drafts++;
  const [draft] = await run(FIND_DRAFT, [draftId]);
  if (!draft) return 'unchanged';
  report.referenced.members.add(draft.memberId);
  if (draft.categoryId !== null) report.referenced.categories.add(draft.categoryId);
  return 'unchanged';
}
