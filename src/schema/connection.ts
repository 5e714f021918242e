/** Cursor connections (Relay specification): keyset pagination, stable while rows are inserted and deleted. */
import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { MAX_PAGE_SIZE, Paged } from './page.js';
import { WholeNumber } from './validators.js';

/** The class of the arguments of a connection, in addition to those of another class. */
export function withConnection<Args extends object>(args: ClassType<Args>) {
  @ArgsType()
  class TypedConnectionArgs extends (args as ClassType) {
    @Field(() => Int, {
      nullable: true,
      description: `Number of elements from the start, or after \`after\`: 1 to ${MAX_PAGE_SIZE}; 10 if absent.`,
    })
    @WholeNumber(1, MAX_PAGE_SIZE)
    first?: number | null;

    @Field(() => String, { nullable: true, description: 'Cursor: only elements after this one.' })
    after?: string | null;

    @Field(() => Int, {
      nullable: true,
      description: `Number of elements from the end, or before \`before\`: 1 to ${MAX_PAGE_SIZE}.`,
    })
    @WholeNumber(1, MAX_PAGE_SIZE)
    last?: number | null;

    @Field(() => String, { nullable: true, description: 'Cursor: only elements before this one.' })
    before?: string | null;
  }
  return TypedConnectionArgs as ClassType<Args & TypedConnectionArgs>;
}

@ArgsType()
export class ConnectionArgs extends withConnection(class {}) {}

@ObjectType({ description: "Position of a page in a connection (Relay's cursor connections specification)." })
export class PageInfo {
  @Field({ description: 'Whether there are elements after this page.' })
  hasNextPage!: boolean;

  @Field({ description: 'Whether there are elements before this page.' })
  hasPreviousPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Cursor of the first element, for `before`; null if the page is empty.',
  })
  startCursor!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Cursor of the last element, for `after`; null if the page is empty.',
  })
  endCursor!: string | null;
}

export interface Connection<Node> {
  totalCount: number;
  edges: { node: Node; cursor: string }[];
  pageInfo: PageInfo;
}

/** The types `<name>Connection` and `<name>Edge`. */
export function connectionOf<Node extends object>(name: string, nodeType: () => ClassType<Node>) {
  @ObjectType(`${name}Edge`, { description: 'An element of a connection, with its cursor.' })
  class Edge {
    @Field(nodeType, { description: 'The element.' })
    node!: Node;

    @Field({ description: 'Cursor for `after` and `before` in a list with the same sort order.' })
    cursor!: string;
  }

  @Paged()
  @ObjectType(`${name}Connection`, {
    description: "A list with cursor pagination (Relay's cursor connections specification).",
  })
  class TypedConnection {
    @Field(() => Int, { description: 'Number of elements in the whole list.' })
    totalCount!: number;

    @Field(() => [Edge], { description: 'The elements of this page, in list order.' })
    edges!: Edge[];

    @Field(() => PageInfo, { description: 'Cursors of this page, and whether there are further pages.' })
    pageInfo!: PageInfo;
  }
  return TypedConnection;
}
