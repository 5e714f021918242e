/** Jobs that publish scheduled drafts. Despite retries and concurrent processes, each schedule is carried out once, or fails once. */
import { failPublication, publishScheduledDraft } from '../commands/publish-draft.js';
import type { Draft } from '../models/draft/draft.js';
import {
  CONTINUE_SCHEDULE,
  DUE_DRAFT,
  DUE_DRAFTS,
  RESUME_SCHEDULES,
  type ScheduledDraft,
} from '../models/draft/publication.js';
import type { CheckUnderLock } from '../models/table.js';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { describeError, isDisconnected } from '../platform/database/mask-error.js';
import { AppError } from '../platform/errors.js';
import { requireComplete } from '../schema/publication.js';
import type { Services } from '../services/index.js';
import { countText } from '../services/limits/writes.js';
import { renderForWrite } from '../services/rendering/article-html.js';
import type { JobRun } from './job.js';

/** The schedule was changed or removed after the draft was read. */
class ScheduleChanged extends Error {}

/** The text of the draft was changed while it was rendered. */
class TextChanged extends Error {}

const ATTEMPTS_TO_RENDER = fixedLimit({
  area: 'Queues',
  error: null,
  value: 5,
  about:
    'Attempts of the job of a scheduled draft, within about two minutes, to publish it with its HTML while the renderer is busy or the rendering time of its author is used up. The last one publishes it without HTML, which a job renders.',
});

/**
 * Publishes all that is due: the other drafts are due before this one, or while it is published. Members take turns, those of a member are
 * published in the order of their times. A draft that cannot be published at the moment does not delay the following ones; its own job tries
 * again.
 * @param draftId that of the schedule for which the job was added
 */
export async function publishDrafts(
  { draftId }: { draftId: number },
  services: Services,
  { attempt, signal }: JobRun,
): Promise<void> {
  const { database, log } = services;
  await database.query(CONTINUE_SCHEDULE, [draftId]);
  const failedIds: number[] = [];
  let ownError: unknown;
  for (;;) {
    const round = await database.query(DUE_DRAFTS, [failedIds]);
    if (round.length === 0) break;
    for (const { id } of round) {
      signal.throwIfAborted();
      const [due] = await database.query(DUE_DRAFT, [id]);
      if (!due) continue;
      try {
        await publishDue(due, services, id === draftId && attempt >= ATTEMPTS_TO_RENDER);
      } catch (error) {
        // The next job begins with this draft, so that the order remains.
        if (isDisconnected(error)) throw error;
        log.warn({ draftId: id, err: describeError(error) }, 'publishing a scheduled draft failed, trying again');
        failedIds.push(id);
        if (id === draftId) ownError = error;
      }
    }
  }
  if (ownError !== undefined) throw ownError;
}

/** Drafts per statement. */
const BATCH = 1_000;

/** Adds jobs that were lost, so that each schedule has one again. */
export async function resumeSchedules(
  _payload: unknown,
  { database, log }: Services,
  { signal }: JobRun,
): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    signal.throwIfAborted();
    const [found]: { added: number; last: number | null }[] = await database.query(RESUME_SCHEDULES, [after, BATCH]);
    if (found?.added) log.warn({ jobs: found.added }, 'scheduled drafts had no job, added');
    after = found?.last ?? null;
  }
}

/**
 * Renders the draft before the transaction, so that no reader and no feed has the article without its HTML. A draft whose text or schedule changes
 * meanwhile is read again, if it is still due.
 * @param isLast publishes it also if it cannot be rendered, and with a text that was saved meanwhile: a job renders it afterwards
 * @throws the error of the renderer, the database, or another service, if a retry may succeed
 */
async function publishDue(draft: ScheduledDraft, services: Services, isLast: boolean): Promise<void> {
  const { config, database, renderer } = services;
  const { memberId, content, publishAt } = draft;
  const check: CheckUnderLock<Draft> = async (locked, db) => {
    if (locked.publishAt?.getTime() !== publishAt.getTime()) throw new ScheduleChanged();
    if (locked.content !== content && !isLast) throw new TextChanged();
    await requireComplete(db, locked);
  };
  try {
    // A turn and rendering time of its own: the texts of one member do not use those of others.
    const payer = `publications of m${memberId}`;
    const rendered = await renderForWrite(renderer, content, { key: payer, network: payer }, config.publicUrl);
    if (!rendered && !isLast) throw new Error('The draft was not rendered: the renderer is busy');
    await countText(services, memberId, content);
    await publishScheduledDraft(services, { draft, rendered, check });
  } catch (error) {
    if (error instanceof ScheduleChanged || error instanceof TextChanged) return;
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    await failPublication(database, draft, error.key);
  }
}
