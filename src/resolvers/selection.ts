/** Inspects the selection of a field, so that only selected data is fetched. */
import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql';
import type { ArticleIncludes } from '../models/article/list.js';

type SelectionInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/** Cached results by field node: the nodes of a document live as long as the document is cached. */
const inclusions = new WeakMap<FieldNode, Map<string, boolean>>();

/**
 * Whether the selection of this field contains `path`, such as `contents.replies`; `**` matches any number of nested fields. A field
 * with `@skip` or `@include` counts as selected, whatever the condition.
 */
export function selectionIncludes(info: SelectionInfo, path: string): boolean {
  const [node, ...merged] = info.fieldNodes;
  if (!node || merged.length > 0)
    return info.fieldNodes.some((field) => find(info, field.selectionSet, path.split('.')));
  const cached = inclusions.get(node) ?? new Map<string, boolean>();
  inclusions.set(node, cached);
  const isIncluded = cached.get(path) ?? find(info, node.selectionSet, path.split('.'));
  cached.set(path, isIncluded);
  return isIncluded;
}

/** The selected data of a list of articles besides plain columns. @param path from this field to the articles, such as `contents` */
export function articleIncludes(info: SelectionInfo, path: string): ArticleIncludes {
  return {
    content: selectionIncludes(info, `${path}.content`),
    tags: selectionIncludes(info, `${path}.tags`),
    snippet: selectionIncludes(info, `${path}.snippet`),
    total: selectionIncludes(info, 'totalCount'),
  };
}

function find(info: SelectionInfo, set: SelectionSetNode | undefined, path: string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return true;
  if (name === '**' && find(info, set, rest)) return true;
  return (set?.selections ?? []).some((selection) => {
    if (selection.kind === 'InlineFragment') return find(info, selection.selectionSet, path);
    if (selection.kind === 'FragmentSpread')
      return find(info, info.fragments[selection.name.value]?.selectionSet, path);
    if (name === '**') return find(info, selection.selectionSet, path);
    return selection.name.value === name && find(info, selection.selectionSet, rest);
  });
}
