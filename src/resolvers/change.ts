/** The feed of changes, and the objects of its entries: all of them as an anonymous reader sees them, also with a token. */
import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';
import type { Context } from '../context.js';
import { RootResult } from '../execute.js';
import { ARTICLES_BY_ID, type ArticleRow } from '../models/article/article.js';
import { CATEGORIES_BY_ID, type CategoryRow } from '../models/category.js';
import { CHANGE_TYPES, type Change, type ChangePage, type ChangeType, readChanges } from '../models/change.js';
import type { CommentRow } from '../models/comment/comment.js';
import { MEMBERS_BY_ID, type MemberRow } from '../models/member/member.js';
import { ANONYMOUS } from '../models/reader.js';
import { PUBLIC_SERIES_BY_ID, type SeriesRow } from '../models/series.js';
import { invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { inspectValue } from '../platform/text.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { ArticleType } from '../schema/article.js';
import { CategoryType } from '../schema/category.js';
import { ChangeType as ChangeObject, ChangePageType, ChangesArgs, FEED_FIELDS } from '../schema/change.js';
import { CommentType } from '../schema/comment.js';
import { changesCost } from '../schema/cost.js';
import { MemberType } from '../schema/member.js';
import { SeriesType } from '../schema/series.js';
import { Stamped, TaggedByContent } from '../schema/stamped.js';
import { selectionIncludes } from './selection.js';

@Resolver()
export class ChangesResolver {
  @Stamped({ kind: 'changes', isInQuery: true, fields: FEED_FIELDS })
  @TaggedByContent()
  @ApiTokenScopes('public')
  @Query(() => ChangePageType, {
    description:
      'What changed in the public part of the journal, in an order that a copy can follow for years without a gap. Page until `hasMore` is false.',
    complexity: changesCost,
  })
  async changes(
    @Args(() => ChangesArgs) { since, types, size }: ChangesArgs,
    @Ctx() { database }: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RootResult<ChangePage>> {
    const page = await readChanges(database, {
      since: since ?? null,
      types: types == null ? CHANGE_TYPES : parseTypes(types),
      size,
      withTexts: selectionIncludes(info, 'changes.article'),
    });
    return new RootResult(page, page);
  }
}

@Resolver(() => ChangeObject)
export class ChangeResolver {
  @FieldResolver(() => ArticleType, { nullable: true, description: 'The article, unless it is removed.' })
  async article(@Root() change: Change, @Ctx() { loaders }: Context): Promise<ArticleRow | null> {
    return isOf('article', change) ? loaders.byId(ARTICLES_BY_ID, ANONYMOUS).load(change.id) : null;
  }

  @FieldResolver(() => CommentType, { nullable: true, description: 'The comment, unless it is removed.' })
  async comment(@Root() change: Change, @Ctx() { loaders }: Context): Promise<CommentRow | null> {
    return isOf('comment', change) ? loaders.commentById(change.id, ANONYMOUS) : null;
  }

  @FieldResolver(() => MemberType, { nullable: true, description: 'The public profile, unless it is removed.' })
  async member(@Root() change: Change, @Ctx() { loaders }: Context): Promise<MemberRow | null> {
    return isOf('member', change) ? loaders.byId(MEMBERS_BY_ID).load(change.id) : null;
  }

  @FieldResolver(() => CategoryType, { nullable: true, description: 'The category, unless it is removed.' })
  async category(@Root() change: Change, @Ctx() { loaders }: Context): Promise<CategoryRow | null> {
    return isOf('category', change) ? loaders.byId(CATEGORIES_BY_ID).load(change.id) : null;
  }

  @FieldResolver(() => SeriesType, {
    nullable: true,
    description: 'The series, unless it is removed. Here `articleIds` has its public articles.',
  })
  async series(@Root() change: Change, @Ctx() { loaders }: Context): Promise<SeriesRow | null> {
    return isOf('series', change) ? loaders.byId(PUBLIC_SERIES_BY_ID).load(change.id) : null;
  }
}

function isOf(wanted: ChangeType, { type, action }: Change): boolean {
  return type === wanted && action !== 'removed';
}

/** @throws AppError VALIDATION_FAILED */
function parseTypes(list: string): ChangeType[] {
  const types = new Set(list.split(',').map((type) => type.trim()));
  const unknown = [...types].find((type) => !CHANGE_TYPES.includes(type as ChangeType));
  if (unknown !== undefined)
    throw invalid('types', createMessage('mustBeOneOf', [...CHANGE_TYPES], inspectValue(unknown)));
  return [...types] as ChangeType[];
}
