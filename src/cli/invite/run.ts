/** Runs `daybook invite`. */
import { createInvitation } from '../../commands/invitation.js';
import { loadConfig } from '../../platform/config/index.js';
import { asOperator } from '../operator.js';
import type { Terminal } from '../terminal.js';

export interface InviteOptions {
  count: number;
  /** Lifetime in milliseconds. */
  expires: number;
}

export function runInvite({ count, expires }: InviteOptions, terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'invite', {}, async ({ database, print }) => {
    for (let created = 0; created < count; created++) print((await createInvitation(database, expires)).token);
    const { registration } = loadConfig(terminal.env);
    if (registration === 'invite') return;
    terminal.stderr.write(`REGISTRATION is ${registration}: registrations need an invitation only if it is invite.\n`);
  });
}
