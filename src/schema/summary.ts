/** The status of an article summary, and the arguments of a new request. */
import { ArgsType, Field, ID } from 'type-graphql';
import { ANALYZE_STATUSES } from '../models/summary.js';
import { enumOf } from './enum.js';
import { Id } from './validators.js';

export const AnalyzeStatusEnum = enumOf('AnalyzeStatus', 'Status of the summary of an article.', ANALYZE_STATUSES);

@ArgsType()
export class RequestSummaryArgs {
  @Field(() => ID, { description: 'ID of one of your articles.' })
  @Id()
  articleId!: string;
}
