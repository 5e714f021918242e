/** The members whom the viewer blocks. All changes are idempotent. API tokens have no scope for them. */
import { Args, Ctx, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import { BLOCK_MEMBER, findBlocks, UNBLOCK_MEMBER } from '../models/block.js';
import { AuthorizedMutation, AuthorizedQuery, WhileSuspended } from '../schema/auth.js';
import { MemberList } from '../schema/member.js';
import { PageArgs, pageSlice, toPage } from '../schema/page.js';
import { MemberBlockType, OtherMemberArgs } from '../schema/reaction.js';
import { viewerOf } from '../services/auth/policy.js';
import { otherMember } from './reaction.js';
import { parseId, requireRow } from './row.js';

@Resolver()
export class BlockResolver {
  @AuthorizedMutation(() => MemberBlockType, {
    description:
      'Blocks a member, and ends follows between you; idempotent. Authentication required, and no API token has a scope for it.',
  })
  async blockMember(@Args(() => OtherMemberArgs) { memberId }: OtherMemberArgs, @Ctx() context: Context) {
    const [row] = await context.database.change(BLOCK_MEMBER, otherMember(context, memberId));
    return { ...requireRow(row, 'MEMBER_NOT_FOUND'), blocked: true };
  }

  @WhileSuspended()
  @AuthorizedMutation(() => MemberBlockType, {
    description: 'Unblocks a member; idempotent. Authentication required, and no API token has a scope for it.',
  })
  async unblockMember(@Args(() => OtherMemberArgs) { memberId }: OtherMemberArgs, @Ctx() context: Context) {
    const unblocked = parseId(memberId, 'MEMBER_NOT_FOUND');
    const [row] = await context.database.change(UNBLOCK_MEMBER, [unblocked, viewerOf(context).memberId]);
    return { ...requireRow(row, 'MEMBER_NOT_FOUND'), blocked: false };
  }

  @AuthorizedQuery(() => MemberList.page, {
    description:
      'The members whom you block, the last blocked first. Authentication required, and no API token has a scope for it.',
  })
  async blocks(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context) {
    return toPage(args, await findBlocks(context.database, viewerOf(context).memberId, pageSlice(args)));
  }
}
