/** What a draft needs to become an article, and when it can be scheduled. */
import ms from 'ms';
import type { InferAttributes } from 'sequelize';
import { ArgsType, Field } from 'type-graphql';
import { ARTICLES_BY_ID } from '../models/article/article.js';
import type { Draft } from '../models/draft/draft.js';
import { Reader } from '../models/reader.js';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import type { Database } from '../platform/database/pool.js';
import { AppError, type FieldError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { CreateArticleInput, UpdateArticleInput } from './article.js';
import { withCondition } from './condition.js';
import { findInvalidAs } from './constraints.js';
import { DateTime, idArgs } from './scalars.js';
import { requireVisible } from './validators.js';

const MIN_AHEAD_MS = ms('1m');

const MAX_AHEAD_MS = fixedLimit({
  area: 'Writing',
  about: 'Time for which a draft can be scheduled in advance.',
  value: ms('365d'),
  unit: 'ms',
  error: 'VALIDATION_FAILED',
});

@ArgsType()
export class ScheduleDraftArgs extends withCondition(idArgs('id', 'ID of one of your drafts.')) {
  @Field(() => DateTime, {
    description: 'Time of the publication, in UTC: one minute to 365 days ahead, by the clock of the service.',
  })
  publishAt!: string;
}

/**
 * An edit keeps the texts of its article, which can be older than their rules.
 * @throws AppError VALIDATION_FAILED with every field that an article lacks, and the `errors`
 */
export async function requireComplete(
  db: Pick<Database, 'query'>,
  { memberId, articleId, title, content, tags, language, translationOf }: InferAttributes<Draft>,
  errors: readonly FieldError[] = [],
): Promise<void> {
  const texts = { title, content, tags };
  const invisible = findInvalidAs(CreateArticleInput.name, texts);
  const [article] =
    articleId === null || invisible.length === 0
      ? []
      : await db.query(ARTICLES_BY_ID, [[articleId], new Reader(memberId, memberId, 0, 0)]);
  const invalid = [...(article ? findInvalidAs(UpdateArticleInput.name, texts) : invisible), ...errors];
  if (article && invalid.length === 0) requireVisible(texts, article);
  if (translationOf !== null && language === null)
    invalid.push({ field: 'language', message: createMessage('requiredWith', 'translationOf') });
  if (invalid.length > 0) throw new AppError('VALIDATION_FAILED', { errors: invalid });
}

/** @param now in milliseconds since 1970. @returns the error of a time that is too early or too late */
export function findWrongTime(publishAt: string, now: number): FieldError[] {
  const aheadMs = Date.parse(publishAt) - now;
  if (aheadMs >= MIN_AHEAD_MS && aheadMs <= MAX_AHEAD_MS) return [];
  const days = MAX_AHEAD_MS / ms('1d');
  return [{ field: 'publishAt', message: createMessage('mustBeMinuteAhead', days, publishAt) }];
}
