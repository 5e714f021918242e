/** Databases and backups from before the first release, whose schema was created in other steps: they are recognized, and not migrated. */
import { OperatorError } from '../errors.js';

/** The first of these steps. */
const FORMER_STEP = '0001-journal';

/** What a person does with one, and what is lost. */
const WAY =
  'Export the journal with the version that made it (npx daybook export --markdown FOLDER --all), and import the folder with this version ' +
  'into an empty database (npx daybook import FOLDER). Not carried over: e-mail addresses and logins (npx daybook member claim gives a member ' +
  'new ones), likes, bookmarks, follows, notifications, views, ids, and earlier versions of texts';

/**
 * @param subject the beginning of the sentence
 * @param names of the migrations of a database or backup
 * @returns undefined if it is none of these
 */
export function formerSchema(subject: string, names: readonly string[]): string | undefined {
  if (!names.includes(FORMER_STEP)) return undefined;
  return `${subject} has the schema of a version before the first release, which is not migrated. Nothing was changed. ${WAY}`;
}

/** @throws OperatorError */
export function rejectFormerSchema(subject: string, names: readonly string[]): void {
  const reason = formerSchema(subject, names);
  if (reason !== undefined) throw new OperatorError(reason);
}
