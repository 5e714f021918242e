/** Queries that need more than one statement read one state of the data. */
import type { SelectedField, SelectedFields } from './selected-fields.js';

/** Whether a query may need more than one statement: for several root fields, or a field that is not in the row of its parent. */
export function needsSnapshot({ roots, nested }: SelectedFields): boolean {
  const isData = ({ field }: SelectedField) => !field.name.startsWith('__');
  const dataRoots = roots.filter(isData);
  const isInParentRow = ({ field: { extensions } }: SelectedField) => {
    const under = extensions.inParentRow as readonly string[] | undefined;
    return under !== undefined && (under.length === 0 || dataRoots.every(({ field }) => under.includes(field.name)));
  };
  const others = nested.filter((one) => isData(one) && one.field.resolve && !isInParentRow(one));
  return (dataRoots.length > 1 || others.length > 0) && !others.some(({ field }) => field.extensions.waitsForPermit);
}
