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
    return context.database.transaction(async (db) => {
      await setRole({ ...context, database: db }, viewer, { memberId: id, role }, passwordHash);
      return requireRow(await context.loaders.reload(db, id, MEMBERS_BY_ID), 'MEMBER_NOT_FOUND');
    });
  }

  @ApiTokenScopes('read')
  @InParentRow()
  @FieldResolver(() => SuspensionType, { nullable: true, description: 'Your suspension; null if there is none.' })
  suspension(@Ctx() { viewer }: Context): Suspension | null {
    return viewer?.suspension ?? null;
  }
}
