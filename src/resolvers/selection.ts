/** Inspects the selection of a field, so that only selected data is fetched. */
import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { ArticleIncludes } from '../models/article/list.js';

type SelectionInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>;

interface Inclusions {
  /** The names of the variables in conditions (`@skip`, `@include`) of the selection. */
  readonly conditions: readonly string[];
  /** By path and the values of these variables. */
  readonly results: Map<string, boolean>;
}

/** Cached by field node: the nodes of a document live as long as the document is cached. */
const inclusions = new WeakMap<FieldNode, Inclusions>();

/** Whether the selection of this field contains `path`, such as `contents.replies`; `**` matches any number of nested fields. */
export function selectionIncludes(info: SelectionInfo, path: string): boolean {
  const [node, ...merged] = info.fieldNodes;
  if (!node || merged.length > 0)
    return info.fieldNodes.some((field) => find(info, field.selectionSet, path.split('.')));
  const { conditions, results } = inclusions.get(node) ?? addInclusions(info, node);
  const key = conditions.reduce((text, name) => `${text} ${info.variableValues[name]}`, path);
  const isIncluded = results.get(key) ?? find(info, node.selectionSet, path.split('.'));
  results.set(key, isIncluded);
  return isIncluded;
}

function addInclusions(info: SelectionInfo, node: FieldNode): Inclusions {
  const names = new Set<string>();
  collectConditions(info, node.selectionSet, names);
  const added = { conditions: [...names], results: new Map<string, boolean>() };
  inclusions.set(node, added);
  return added;
}

function collectConditions(info: SelectionInfo, set: SelectionSetNode | undefined, names: Set<string>): void {
  for (const selection of set?.selections ?? []) {
    for (const { value } of (selection.directives ?? []).flatMap((directive) => directive.arguments ?? [])) {
      if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    }
    collectConditions(info, setOf(info, selection), names);
  }
}

function setOf({ fragments }: SelectionInfo, selection: SelectionNode): SelectionSetNode | undefined {
  return selection.kind === Kind.FRAGMENT_SPREAD
    ? fragments[selection.name.value]?.selectionSet
    : selection.selectionSet;
}

function isSkipped({ variableValues }: SelectionInfo, selection: SelectionNode): boolean {
  if (!selection.directives?.length) return false;
  return (
    getDirectiveValues(GraphQLSkipDirective, selection, variableValues)?.if === true ||
    getDirectiveValues(GraphQLIncludeDirective, selection, variableValues)?.if === false
  );
}

/**
 * The selected data of a list of articles besides plain columns.
 * @param path from this field to the articles, such as `contents`; absent if it is the list
 */
export function articleIncludes(info: SelectionInfo, path?: string): ArticleIncludes {
  const includes = (field: string) => selectionIncludes(info, path === undefined ? field : `${path}.${field}`);
  const markdown = includes('markdown');
  return {
    content: markdown || includes('content'),
    tags: markdown || includes('tags'),
    translations: includes('translations'),
    snippet: includes('snippet'),
    total: selectionIncludes(info, 'totalCount'),
  };
}

function find(info: SelectionInfo, set: SelectionSetNode | undefined, path: string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return true;
  if (name === '**' && find(info, set, rest)) return true;
  return (set?.selections ?? []).some((selection) => {
    if (isSkipped(info, selection)) return false;
    if (selection.kind !== Kind.FIELD) return find(info, setOf(info, selection), path);
    if (name === '**') return find(info, selection.selectionSet, path);
    return selection.name.value === name && find(info, selection.selectionSet, rest);
  });
}
