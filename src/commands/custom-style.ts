/** Creates, changes and deletes custom styles: short commands in one file. */
import {
  COUNT_CUSTOM_STYLES,
  CUSTOM_STYLES,
  type CustomStyle,
  type CustomStyleRow,
  MAX_CUSTOM_STYLES,
} from '../models/custom-style.js';
import { lockMember } from '../models/member/member.js';
import type { Check, Guard } from '../models/table.js';
import type { Database } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { WRITING_STYLES } from '../services/ai/style.js';
import type { Viewer } from '../services/auth/policy.js';

type CustomStyleInput = Pick<CustomStyleRow, 'name' | 'role' | 'instruction'>;

/** @throws AppError STYLE_LIMIT_REACHED, STYLE_NAME_TAKEN, or UNAUTHENTICATED if the member has withdrawn */
export async function createCustomStyle(
  database: Database,
  { memberId, credentialId }: Viewer,
  input: CustomStyleInput,
): Promise<CustomStyleRow> {
  requireOwnName(input.name);
  return database.transaction(async (db) => {
    await lockMember(db, memberId, credentialId);
    const [counted] = await db.query(COUNT_CUSTOM_STYLES, [memberId]);
    if ((counted?.count ?? 0) >= MAX_CUSTOM_STYLES) {
      throw new AppError('STYLE_LIMIT_REACHED', { message: createMessage('styleLimitReached', MAX_CUSTOM_STYLES) });
    }
    return CUSTOM_STYLES.insert(db, { memberId, ...CUSTOM_STYLES.valuesOf(input) });
  });
}

/** @throws AppError STYLE_NOT_FOUND, STYLE_NAME_TAKEN, and the errors of the guard */
export function updateCustomStyle(
  database: Database,
  id: number,
  input: CustomStyleInput,
  { credentialId, check }: Guard<CustomStyle>,
): Promise<CustomStyleRow> {
  return database.transaction(async (db) => {
    const style = await CUSTOM_STYLES.lock(db, id, check, credentialId);
    requireOwnName(input.name);
    return CUSTOM_STYLES.update(db, style, CUSTOM_STYLES.valuesOf(input));
  });
}

/** @throws AppError STYLE_NOT_FOUND, and the errors of `check` */
export function deleteCustomStyle(database: Database, id: number, check: Check<CustomStyle>): Promise<CustomStyleRow> {
  return database.transaction(async (db) => {
    const style = await CUSTOM_STYLES.lock(db, id, check);
    await CUSTOM_STYLES.delete(db, id);
    return style;
  });
}

/** Responses identify a style only by its name, so custom styles must not have a built-in name. @throws AppError STYLE_NAME_TAKEN */
function requireOwnName(name: string): void {
  const taken = WRITING_STYLES.find((style) => style.toLowerCase() === name.toLowerCase());
  if (taken) throw new AppError('STYLE_NAME_TAKEN', { message: createMessage('styleBuiltIn', taken) });
}
