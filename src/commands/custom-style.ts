/** Creates, changes and deletes custom styles: short commands in one file. */
import { WRITING_STYLES } from '../ai/style.js';
import type { Viewer } from '../auth/policy.js';
import type { Database } from '../database/pool.js';
import { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';
import { CustomStyle, type CustomStyleFields, type CustomStyleRow, MAX_CUSTOM_STYLES } from '../models/custom-style.js';
import { lockForUpdate } from '../models/lock-for-update.js';
import { lockMember } from '../models/member/member.js';

type Check = (style: CustomStyle) => void;

/** @throws AppError STYLE_LIMIT_REACHED, STYLE_NAME_TAKEN, or UNAUTHENTICATED if the member has withdrawn */
export async function createCustomStyle(
  database: Database,
  { memberId, sessionId }: Viewer,
  fields: CustomStyleFields,
): Promise<CustomStyleRow> {
  requireOwnName(fields.name);
  return database.inTransaction(async (transaction) => {
    await lockMember(database, memberId, sessionId, transaction);
    const count = await CustomStyle.count({ where: { memberId }, transaction });
    if (count >= MAX_CUSTOM_STYLES) throw new AppError('STYLE_LIMIT_REACHED');
    const style = await CustomStyle.create({ memberId, ...fields }, { transaction });
    return style.get();
  });
}

/** @throws AppError STYLE_NOT_FOUND, STYLE_NAME_TAKEN, and the errors of `check` */
export function updateCustomStyle(
  database: Database,
  id: number,
  fields: CustomStyleFields,
  check: Check,
): Promise<CustomStyleRow> {
  return database.inTransaction(async (transaction) => {
    const style = await lockForUpdate(CustomStyle, id, 'STYLE_NOT_FOUND', transaction, check);
    requireOwnName(fields.name);
    await style.update({ ...fields }, { transaction });
    return style.get();
  });
}

/** @throws AppError STYLE_NOT_FOUND, and the errors of `check` */
export function deleteCustomStyle(database: Database, id: number, check: Check): Promise<CustomStyleRow> {
  return database.inTransaction(async (transaction) => {
    const style = await lockForUpdate(CustomStyle, id, 'STYLE_NOT_FOUND', transaction, check);
    await style.destroy({ transaction });
    return style.get();
  });
}

/** Responses identify a style only by its name, so custom styles must not have a built-in name. @throws AppError STYLE_NAME_TAKEN */
function requireOwnName(name: string): void {
  const taken = WRITING_STYLES.find((style) => style.toLowerCase() === name.toLowerCase());
  if (taken) throw new AppError('STYLE_NAME_TAKEN', { message: createMessage('styleBuiltIn', taken) });
}
