/** What the two root fields of a list have, its numbered pages and its connection: their types and their arguments. */
import type { ClassType } from 'type-graphql';
import { connectionOf, withConnection } from './connection.js';
import { pageOf, withPage } from './page.js';

/** Of the two root fields of a list. */
export interface PageAndConnection<Page, ConnectionValue = Page> {
  readonly page: Page;
  readonly connection: ConnectionValue;
}

/** The types of a list. @param list describes it in the plural @param elements its elements, if `list` says more */
export function listOf<Node extends object>(
  name: string,
  nodeType: () => ClassType<Node>,
  list: string,
  elements = list,
) {
  return { page: pageOf(name, nodeType, list, elements), connection: connectionOf(name, nodeType) };
}

/** The arguments of a list. @param args the class of those besides the page and the position */
export function listArgs<Args extends object>(args: ClassType<Args>) {
  return { page: withPage(args), connection: withConnection(args) };
}
