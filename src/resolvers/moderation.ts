/** Changes of roles, and what members see of their suspension. No API token may use them. */
import { Arg, Ctx, FieldResolver, Resolver } from 'type-graphql';
import { setRole } from '../commands/change-role.js';
import type { Context } from '../context.js';
import { MEMBERS_BY_ID, type MemberRow } from '../models/member/member.js';
import type { Suspension } from '../models/moderation/suspension.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { AuthorizedMutation } from '../schema/auth.js';
import { AccountType, MemberType } from '../schema/member.js';
import { SetRoleInput, SuspensionType } from '../schema/moderation.js';
import { InParentRow } from '../schema/statements.js';
import { requireProof } from '../services/auth/login.js';
import { viewerOf } from '../services/auth/policy.js';
import { loadWithinTransaction } from './load-within-transaction.js';
import { parseId, requireRow } from './row.js';

@Resolver(() => AccountType)
export class ModerationResolver {
  @AuthorizedMutation(() => MemberType, {
    description: 'Changes the role of another member. Admins only; the last admin keeps the role.',
  })
  async setRole(
    @Arg('input', () => SetRoleInput, { description: 'The new role, and re-authentication.' })
    { memberId, role, password }: SetRoleInput,
    @Ctx() context: Context,
  ): Promise<MemberRow> {
    const viewer = viewerOf(context);
    const id = parseId(memberId, 'MEMBER_NOT_FOUND');
    const passwordHash = await requireProof(context, viewer, password);
    const find = () => context.loaders.byId(MEMBERS_BY_ID).load(id);
    await setRole(loadWithinTransaction(context, find), viewer, { memberId: id, role }, passwordHash);
    return requireRow(await find(), 'MEMBER_NOT_FOUND');
  }

  @ApiTokenScopes('read')
  @InParentRow()
  @FieldResolver(() => SuspensionType, { nullable: true, description: 'Your suspension; null if there is none.' })
  suspension(@Ctx() { viewer }: Context): Suspension | null {
    return viewer?.suspension ?? null;
  }
}
