/** What a draft needs to become an article, and when it can be scheduled. */
import ms from 'ms';
import type { InferAttributes } from 'sequelize';
import { ArgsType, Field } from 'type-graphql';
import type { Draft } from '../models/draft/draft.js';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { AppError, type FieldError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { CreateArticleInput } from './article.js';
import { withCondition } from './condition.js';
import { findInvalidAs } from './constraints.js';
import { DateTime, idArgs } from './scalars.js';

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

/** @throws AppError VALIDATION_FAILED with every field that an article lacks, and the `errors` */
export function requireComplete(
  {
    title,
    content,
    language,
    translationOf,
  }: Pick<InferAttributes<Draft>, 'title' | 'content' | 'language' | 'translationOf'>,
  errors: readonly FieldError[] = [],
): void {
  const invalid = [...findInvalidAs(CreateArticleInput.name, { title, content }), ...errors];
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
