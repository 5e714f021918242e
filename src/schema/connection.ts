/** Cursor connections (Relay specification): keyset pagination, stable while rows are inserted and deleted. */
import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { MAX_PAGE_SIZE } from './page.js';
import { WholeNumber } from './validators.js';

@ArgsType()
export class ConnectionArgs {
  @Field(() => Int, {
    nullable: true,
    description: `From the beginning, or from \`after\`: 1 to ${MAX_PAGE_SIZE}, 10 if absent.`,
  })
  @WholeNumber(1, MAX_PAGE_SIZE)
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'The cursor of the element before the first one wanted.' })
  after?: string | null;

  @Field(() => Int, { nullable: true, description: `From the end, or back from \`before\`: 1 to ${MAX_PAGE_SIZE}.` })
  @WholeNumber(1, MAX_PAGE_SIZE)
  last?: number | null;

  @Field(() => String, { nullable: true, description: 'The cursor of the element after the last one wanted.' })
  before?: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "Where a page of a connection stands (Relay's cursor connections specification).",
})
export class PageInfo {
  @Field({ description: 'Whether more follows.' })
  hasNextPage!: boolean;

  @Field({ description: 'Whether more precedes.' })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'For `before`; null where the page is empty.' })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'For `after`; null where the page is empty.' })
  endCursor!: string | null;
}

export interface Connection<Node> {
  edges: { node: Node; cursor: string }[];
  pageInfo: PageInfo;
}

/** The types `<name>Connection` and `<name>Edge`. */
export function connectionOf<Node extends object>(name: string, nodeType: () => ClassType<Node>) {
  @ObjectType(`${name}Edge`, { simpleResolvers: true, description: 'An element of a connection, and its place there.' })
  class Edge {
    @Field(nodeType, { description: 'The element.' })
    node!: Node;

    @Field({ description: 'For `after` and `before` in a list of the same order.' })
    cursor!: string;
  }

  @ObjectType(`${name}Connection`, {
    simpleResolvers: true,
    description: "A list between cursors (Relay's cursor connections specification).",
  })
  class TypedConnection {
    @Field(() => [Edge], { description: 'The elements, in the order of the list.' })
    edges!: Edge[];

    @Field(() => PageInfo, { description: 'How to go on.' })
    pageInfo!: PageInfo;
  }
  return TypedConnection;
}
