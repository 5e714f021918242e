/** Numbered pages (offset pagination): arguments and page info. */
import { ArgsType, type ClassType, Extensions, Field, Int, ObjectType } from 'type-graphql';
import { MaxItems } from './response-limits.js';
import { WholeNumber } from './validators.js';

export const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 100;

/** The class of the arguments of a numbered page, in addition to those of another class. */
export function withPage<Args extends object>(args: ClassType<Args>) {
  @ArgsType()
  class TypedPageArgs extends (args as ClassType) {
    @Field(() => Int, { defaultValue: 1, description: 'Page number; the first page is 1.' })
    @WholeNumber(1)
    page!: number;

    @Field(() => Int, { defaultValue: DEFAULT_PAGE_SIZE, description: `Elements per page, 1 to ${MAX_PAGE_SIZE}.` })
    @WholeNumber(1, MAX_PAGE_SIZE)
    size!: number;
  }
  return TypedPageArgs as ClassType<Args & TypedPageArgs>;
}

@ArgsType()
export class PageArgs extends withPage(class {}) {}

@ObjectType({ description: 'Position of a page in its list, and totals of the list.' })
export class Pagination {
  @Field(() => Int, { description: 'Page number; the first page is 1.' })
  currentPage!: number;

  @Field(() => Int, { description: 'The requested page size, even if the page has fewer elements.' })
  pageSize!: number;

  @Field(() => Int, { description: 'Total number of elements in the list.' })
  totalElements!: number;

  @Field(() => Int, { description: 'Total number of pages; 0 for an empty list.' })
  totalPages!: number;

  @Field({ description: 'Whether this is the last page.' })
  last!: boolean;

  @Field({ description: 'Whether this is page 1, or the list is empty.' })
  first!: boolean;
}

/** For a type of pages or connections: the cost of a field with it is that of the elements which its arguments select. */
export function Paged(): ClassDecorator {
  return Extensions({ isPaged: true });
}

/** The type `<name>Page`. @param list describes the list in the plural @param elements its elements, if `list` says more */
export function pageOf<Node extends object>(
  name: string,
  nodeType: () => ClassType<Node>,
  list: string,
  elements = list,
) {
  @Paged()
  @ObjectType(`${name}Page`, { description: `A numbered page of ${list}.` })
  class TypedPage {
    @MaxItems(MAX_PAGE_SIZE)
    @Field(() => [nodeType()], { description: `The ${elements} of this page; empty past the last page.` })
    contents!: Node[];

    @Field(() => Pagination, { description: 'Position of the page, and totals of the list.' })
    pagination!: Pagination;
  }
  return TypedPage;
}

/** What a page has of its list. */
export function pageSlice({ page, size }: PageArgs): { limit: number; offset: number } {
  return { limit: size, offset: (page - 1) * size };
}

/** @param found the elements of the slice, and the number of all */
export function toPage<Node>({ page, size }: PageArgs, found: { contents: Node[]; total: number }) {
  const { contents, total } = found;
  const totalPages = Math.ceil(total / size);
  const pagination: Pagination = {
    currentPage: page,
    pageSize: size,
    totalElements: total,
    totalPages,
    last: page >= totalPages,
    first: page === 1 || totalPages === 0,
  };
  return { contents, pagination };
}
