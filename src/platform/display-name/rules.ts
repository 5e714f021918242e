/** Rules for display names, based on UTS 39. Reasons: docs/decisions/display-names.md. */
import { createMessage, type Message } from '../messages/message.js';
import { INVISIBLE, skeletonOf } from './skeleton.js';

/** Code points of a display name, */
export const MIN_DISPLAY_NAME_LENGTH = 2;
/** and of any name of a member. */
export const MAX_NAME_LENGTH = 30;

/** Replaces a name that is not a valid display name. */
const FALLBACK = 'Member';

/** Placeholders of the service, and names that suggest authority. Compared by skeleton, without punctuation and spaces. */
const RESERVED =
  'withdrawn deleted hidden held blocked removed admin administrator moderator operator official staff system support root daybook 관리자 운영자 시스템 고객센터 데이북';

/** Scripts that are in general modern use (UAX 31, Table 5), without Cyrillic and Greek, which have too many letters confusable with Latin ones. */
const WITH_LATIN =
  'Arabic Armenian Bengali Devanagari Ethiopic Georgian Gujarati Gurmukhi Hebrew Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan';

/** Scripts in limited use (UAX 31, Table 7), and the two that must not be mixed with Latin. */
const ALONE =
  'Cyrillic Greek Adlam Balinese Bamum Batak Canadian_Aboriginal Chakma Cham Cherokee Hanifi_Rohingya Javanese Kayah_Li Lepcha Limbu Lisu Mandaic Meetei_Mayek Miao Mongolian New_Tai_Lue Newa Nko Nyiakeng_Puachue_Hmong Ol_Chiki Osage Saurashtra Sundanese Syloti_Nagri Syriac Tai_Le Tai_Tham Tai_Viet Tifinagh Vai Wancho Yi';

/** UTS 39 §5.2, "moderately restrictive", and scripts in limited use. Common and Inherited characters are always allowed. */
const SCRIPTS_OF_A_NAME = [
  'Latin Han Hangul',
  'Latin Han Hiragana Katakana',
  'Latin Han Bopomofo',
  ...WITH_LATIN.split(' ').map((script) => `Latin ${script}`),
  ...ALONE.split(' '),
].map((scripts) => new RegExp(`^[${`Common Inherited ${scripts}`.replace(/\w+/g, '\\p{scx=$&}')}]*$`, 'u'));

/** Invisible, unassigned and private-use characters, and line and paragraph separators. */
const UNSHOWN = new RegExp(`[${INVISIBLE}\\p{Cn}\\p{Co}\\p{Zl}\\p{Zp}]`, 'u');

/** UTS 39 §5.4: a mark without a base, more than four nonspacing marks, or the same one twice in a row. Applied to NFD. */
const STACKED_MARKS = /^\p{M}|\p{Mn}{5}|(\p{Mn})\1/u;

let reserved: ReadonlySet<string> | undefined;

/** @returns the violated rule (the length is not checked); null for a valid name */
export function explainDisplayName(name: string): Message | null {
  const unshown = UNSHOWN.exec(name)?.[0];
  if (unshown !== undefined) return createMessage('nameInvisible', codePointOf(unshown));
  if (STACKED_MARKS.test(name.normalize('NFD'))) return createMessage('nameStacksMarks');
  if (!SCRIPTS_OF_A_NAME.some((pattern) => pattern.test(name))) return createMessage('nameMixesScripts');
  return isReserved(name) ? createMessage('nameReserved') : null;
}

/** A valid display name from an external name: invisible characters are removed; `FALLBACK` if it is still invalid. */
export function toDisplayName(name: string): string {
  const shown = name.replace(new RegExp(UNSHOWN, 'gu'), '').replace(/\s+/g, ' ').trim();
  return shown === '' || explainDisplayName(shown) ? FALLBACK : shown;
}

function isReserved(name: string): boolean {
  reserved ??= new Set(RESERVED.split(' ').map(skeletonOf));
  return reserved.has(skeletonOf(name.replace(/[^\p{L}\p{M}\p{N}|]/gu, '')));
}

/** `U+200D`. */
function codePointOf(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}
