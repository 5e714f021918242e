/** What lists cost: as much as their elements, as many as they may have. */
import type { ComplexityEstimatorArgs } from 'graphql-query-complexity';
import { DEFAULT_PAGE_SIZE } from './page.js';

type Estimate = Pick<ComplexityEstimatorArgs, 'args' | 'childComplexity'>;

/** A numbered page, or a connection. */
export function listCost({ args, childComplexity }: Estimate): number {
  return 1 + Number(args.size ?? args.first ?? args.last ?? DEFAULT_PAGE_SIZE) * childComplexity;
}

/** A list without a size of its own, which is mostly about this long. */
export function costOf(usualLength: number) {
  return ({ childComplexity }: Estimate): number => 1 + usualLength * childComplexity;
}
