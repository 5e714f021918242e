/** Queries that need more than one statement read one state of the data. */
import { Kind } from 'graphql';
import type { Executable, Variables } from '../execute.js';
import type { SelectedField, SelectedFields } from './selected-fields.js';

/**
 * Whether a query may need more than one statement: for several root fields, or a field that is not in the row of its parent. Only the
 * conditions (`@skip`, `@include`) of fields themselves are considered: those of fragments count as met.
 */
export function snapshotNeed({ roots, nested }: SelectedFields): Executable['needsSnapshot'] {
  const isData = ({ field }: SelectedField) => !field.name.startsWith('__');
  const dataRoots = roots.filter(isData);
  const resolved = nested.filter((one) => isData(one) && one.field.resolve);
  const needsWith = (variables: Variables) => {
    const isSelected = (one: SelectedField) => !isLeftOut(one, variables);
    return readsSeveral(dataRoots.filter(isSelected), resolved.filter(isSelected));
  };
  if ([...dataRoots, ...resolved].some(({ node }) => node.directives?.length)) return needsWith;
  return needsWith({});
}

function isLeftOut({ node: { directives = [] } }: SelectedField, variables: Variables): boolean {
  return directives.some(({ name, arguments: given = [] }) => {
    const condition = given[0]?.value;
    // A variable that is not given may have a default value.
    return condition?.kind === Kind.VARIABLE && variables[condition.name.value] === (name.value === 'skip');
  });
}

function readsSeveral(roots: readonly SelectedField[], resolved: readonly SelectedField[]): boolean {
  const isInParentRow = ({ field: { extensions } }: SelectedField) => {
    const under = extensions.inParentRow as readonly string[] | undefined;
    return under !== undefined && (under.length === 0 || roots.every(({ field }) => under.includes(field.name)));
  };
  const others = resolved.filter((one) => !isInParentRow(one));
  return (roots.length > 1 || others.length > 0) && !others.some(({ field }) => field.extensions.waitsForPermit);
}
