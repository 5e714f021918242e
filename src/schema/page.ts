/** Numbered pages (offset pagination): arguments and page info. */
import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { WholeNumber } from './validators.js';

export const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 100;

@ArgsType()
export class PageArgs {
  @Field(() => Int, { defaultValue: 1, description: 'The first page is 1.' })
  @WholeNumber(1)
  page!: number;

  @Field(() => Int, { defaultValue: DEFAULT_PAGE_SIZE, description: `Elements on a page, 1 to ${MAX_PAGE_SIZE}.` })
  @WholeNumber(1, MAX_PAGE_SIZE)
  size!: number;
}

@ObjectType({ simpleResolvers: true, description: 'Where a page stands in its list.' })
export class Pagination {
  @Field(() => Int, { description: 'The first page is 1.' })
  currentPage!: number;

  @Field(() => Int, { description: 'What was asked for, whether or not the page is full.' })
  pageSize!: number;

  @Field(() => Int, { description: 'Elements in the whole list.' })
  totalElements!: number;

  @Field(() => Int, { description: '0 for an empty list.' })
  totalPages!: number;

  @Field({ description: 'Whether no page comes after this one.' })
  last!: boolean;

  @Field({ description: 'Whether this is page 1, or the list is empty.' })
  first!: boolean;
}

export function paginate({ page, size }: PageArgs, totalElements: number): Pagination {
  const totalPages = Math.ceil(totalElements / size);
  return {
    currentPage: page,
    pageSize: size,
    totalElements,
    totalPages,
    last: page >= totalPages,
    first: page === 1 || totalPages === 0,
  };
}
