/** Connections as Relay's specification has them: pages between positions, which stay put while rows come and go. */
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

@ObjectType({ simpleResolvers: true })
export class PageInfo {
  @Field()
  hasNextPage!: boolean;

  @Field()
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true })
  startCursor!: string | null;

  @Field(() => String, { nullable: true })
  endCursor!: string | null;
}

export interface Connection<Node> {
  edges: { node: Node; cursor: string }[];
  pageInfo: PageInfo;
}

/** The types `<name>Connection` and `<name>Edge`. */
export function connectionOf<Node extends object>(name: string, nodeType: () => ClassType<Node>) {
  @ObjectType(`${name}Edge`, { simpleResolvers: true })
  class Edge {
    @Field(nodeType)
    node!: Node;

    @Field({ description: 'For `after` and `before` in a list of the same order.' })
    cursor!: string;
  }

  @ObjectType(`${name}Connection`, { simpleResolvers: true })
  class TypedConnection {
    @Field(() => [Edge])
    edges!: Edge[];

    @Field(() => PageInfo)
    pageInfo!: PageInfo;
  }
  return TypedConnection;
}
