/** Declares the two root fields of a list once: its numbered pages, and its connection. */
import type { GraphQLResolveInfo } from 'graphql';
import { Args, type ClassType, Ctx, Info, Query, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import { RootResult } from '../execute.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { AuthorizedQuery } from '../schema/auth.js';
import { ConnectionArgs } from '../schema/connection.js';
import type { PageAndConnection } from '../schema/list.js';
import { PageArgs, pageSlice, toPage } from '../schema/page.js';
import { type RootStamp, Stamped } from '../schema/stamped.js';
import { type List, readConnection } from './connection.js';

/** What a field selects. */
export interface Selection {
  readonly info: GraphQLResolveInfo;
  /** The path from the field to the elements of the list. */
  readonly path: 'contents' | 'edges.node';
}

interface ListDeclaration<Fields extends object> {
  /** Of the fields. */
  names: readonly [page: string, connection: string];
  types: PageAndConnection<ClassType>;
  /** Absent: those of every page and connection. */
  args?: PageAndConnection<ClassType<Fields & PageArgs>, ClassType<Fields & ConnectionArgs>>;
  /** One text: ", in numbered pages." and ", with cursor pagination." follow. */
  description: string | readonly [page: string, connection: string];
  open(context: Context, args: Fields, selection: Selection): List<object>;
}

/** @param stamp covers the list; the statement of its pages also returns it */
export function publicList<Fields extends object>(
  stamp: RootStamp & { nullable: boolean },
  list: ListDeclaration<Fields>,
): ClassType {
  const { nullable, ...covering } = stamp;
  return listResolver(list, covering, (type, description) => Query(type, { nullable, description }));
}

/** A list of the viewer. @param scopes those of API tokens that may read it */
export function ownList<Fields extends object>(
  scopes: Parameters<typeof ApiTokenScopes>,
  list: ListDeclaration<Fields>,
): ClassType {
  return listResolver(list, null, (type, description) => (target, name, descriptor) => {
    ApiTokenScopes(...scopes)(target, name, descriptor);
    AuthorizedQuery(type, { description })(target, name, descriptor);
  });
}

function listResolver<Fields extends object>(
  { names: [pageName, connectionName], types, args, description, open }: ListDeclaration<Fields>,
  stamp: RootStamp | null,
  field: (type: () => ClassType, description: string) => MethodDecorator,
): ClassType {
  const { page = PageArgs, connection = ConnectionArgs } = args ?? {};
  const [pageText, connectionText] =
    typeof description === 'string'
      ? [`${description}, in numbered pages.`, `${description}, with cursor pagination.`]
      : description;
  const stamped = (isInQuery: boolean): MethodDecorator => (stamp ? Stamped({ ...stamp, isInQuery }) : () => {});

  @Resolver()
  class ListResolver {
    @stamped(true)
    @field(() => types.page, pageText)
    async [pageName](
      @Args(() => page) given: Fields & PageArgs,
      @Ctx() context: Context,
      @Info() info: GraphQLResolveInfo,
    ) {
      const found = await open(context, given, { info, path: 'contents' }).find(pageSlice(given));
      const value = Object.assign(toPage(given, found), found.fields);
      return stamp ? new RootResult(value, { version: found.version ?? null }) : value;
    }

    @stamped(false)
    @field(() => types.connection, connectionText)
    async [connectionName](
      @Args(() => connection) given: Fields & ConnectionArgs,
      @Ctx() context: Context,
      @Info() info: GraphQLResolveInfo,
    ) {
      return readConnection(open(context, given, { info, path: 'edges.node' }), given);
    }
  }
  return ListResolver;
}
