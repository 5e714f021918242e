/** Custom styles, visible to and changeable by their owner only. */
import { Arg, Args, Ctx, Resolver } from 'type-graphql';
import { createCustomStyle, deleteCustomStyle, updateCustomStyle } from '../commands/custom-style.js';
import type { Context } from '../context.js';
import { CUSTOM_STYLES_OF_MEMBER, type CustomStyleRow, MAX_CUSTOM_STYLES } from '../models/custom-style.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { AuthorizedMutation, AuthorizedQuery, WhileSuspended } from '../schema/auth.js';
import { CustomStyleInput, CustomStyleType, UpdateCustomStyleArgs } from '../schema/custom-style.js';
import { MaxItems } from '../schema/response-limits.js';
import { IdArgs } from '../schema/scalars.js';
import { requireVisible } from '../schema/validators.js';
import { requireAuthor, viewerOf } from '../services/auth/policy.js';
import { parseId } from './row.js';

@Resolver(() => CustomStyleType)
export class CustomStyleResolver {
  @ApiTokenScopes('read', 'ai')
  @MaxItems(MAX_CUSTOM_STYLES)
  @AuthorizedQuery(() => [CustomStyleType], { description: 'Your custom styles, by name.' })
  async customStyles(@Ctx() context: Context): Promise<CustomStyleRow[]> {
    return context.database.query(CUSTOM_STYLES_OF_MEMBER, [viewerOf(context).memberId]);
  }

  @ApiTokenScopes('ai')
  @AuthorizedMutation(() => CustomStyleType, {
    description: `Creates a custom style: at most ${MAX_CUSTOM_STYLES} per member.`,
  })
  async createCustomStyle(
    @Arg('input', () => CustomStyleInput, { description: 'The new style.' }) input: CustomStyleInput,
    @Ctx() context: Context,
  ): Promise<CustomStyleRow> {
    requireVisible({ ...input }, { name: [], role: [], instruction: [] });
    return createCustomStyle(context.database, viewerOf(context), input);
  }

  @ApiTokenScopes('ai')
  @AuthorizedMutation(() => CustomStyleType, { description: 'Changes one of your custom styles.' })
  async updateCustomStyle(
    @Args(() => UpdateCustomStyleArgs) { id, input }: UpdateCustomStyleArgs,
    @Ctx() context: Context,
  ): Promise<CustomStyleRow> {
    const check = (row: CustomStyleRow) => {
      requireOwn(context)(row);
      requireVisible({ ...input }, row);
    };
    const guard = { credentialId: viewerOf(context).credentialId, check };
    return updateCustomStyle(context.database, parseId(id, 'STYLE_NOT_FOUND'), input, guard);
  }

  @WhileSuspended()
  @ApiTokenScopes('ai')
  @AuthorizedMutation(() => CustomStyleType, { description: 'Deletes one of your custom styles.' })
  async deleteCustomStyle(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<CustomStyleRow> {
    return deleteCustomStyle(context.database, parseId(id, 'STYLE_NOT_FOUND'), requireOwn(context));
  }
}

function requireOwn(context: Context) {
  const viewer = viewerOf(context);
  return ({ memberId }: CustomStyleRow) => requireAuthor(viewer, memberId, 'STYLE_FORBIDDEN');
}
