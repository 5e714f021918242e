/** Custom styles, visible to and changeable by their owner only. */
import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { WRITING_STYLES } from '../ai/style.js';
import { requireAuthor, viewerOf } from '../auth/policy.js';
import type { Context } from '../context.js';
import { explainViolation } from '../database/violation.js';
import { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';
import {
  addCustomStyle,
  CUSTOM_STYLES_OF_MEMBER,
  type CustomStyleRow,
  holdCustomStyle,
  MAX_CUSTOM_STYLES,
} from '../models/custom-style.js';
import { costOf } from '../schema/cost.js';
import { CustomStyleInput, CustomStyleType, UpdateCustomStyleArgs } from '../schema/custom-style.js';
import { IdArgs } from '../schema/scalars.js';
import { rowId } from './row.js';

@Resolver(() => CustomStyleType)
export class CustomStyleResolver {
  @Authorized()
  @Query(() => [CustomStyleType], {
    description: 'Your custom styles, by name. Authentication required.',
    complexity: costOf(MAX_CUSTOM_STYLES),
  })
  async customStyles(@Ctx() context: Context): Promise<CustomStyleRow[]> {
    return context.database.query(CUSTOM_STYLES_OF_MEMBER, [viewerOf(context).memberId]);
  }

  @Authorized()
  @Mutation(() => CustomStyleType, {
    description: `Creates a custom style: at most ${MAX_CUSTOM_STYLES} per member. Authentication required.`,
  })
  async createCustomStyle(
    @Arg('input', () => CustomStyleInput, { description: 'The new style.' }) input: CustomStyleInput,
    @Ctx() context: Context,
  ): Promise<CustomStyleRow> {
    requireOwnName(input.name);
    const { memberId } = viewerOf(context);
    try {
      return await context.database.inTransaction((transaction) =>
        addCustomStyle(context.database, memberId, { ...input }, transaction),
      );
    } catch (error) {
      throw explainViolation(error);
    }
  }

  @Authorized()
  @Mutation(() => CustomStyleType, { description: 'Changes one of your custom styles. Authentication required.' })
  async updateCustomStyle(
    @Args(() => UpdateCustomStyleArgs) { id, input }: UpdateCustomStyleArgs,
    @Ctx() context: Context,
  ): Promise<CustomStyleRow> {
    const row = rowId(id, 'STYLE_NOT_FOUND');
    try {
      return await context.database.inTransaction(async (transaction) => {
        const style = await holdCustomStyle(row, transaction, owned(context));
        requireOwnName(input.name);
        await style.update({ ...input }, { transaction });
        return style.get();
      });
    } catch (error) {
      throw explainViolation(error);
    }
  }

  @Authorized()
  @Mutation(() => CustomStyleType, { description: 'Deletes one of your custom styles. Authentication required.' })
  async deleteCustomStyle(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<CustomStyleRow> {
    const row = rowId(id, 'STYLE_NOT_FOUND');
    return context.database.inTransaction(async (transaction) => {
      const style = await holdCustomStyle(row, transaction, owned(context));
      await style.destroy({ transaction });
      return style.get();
    });
  }
}

/** Responses identify a style only by its name, so custom styles must not have a built-in name. @throws AppError STYLE_NAME_TAKEN */
function requireOwnName(name: string): void {
  const taken = WRITING_STYLES.find((style) => style.toLowerCase() === name.toLowerCase());
  if (taken) throw new AppError('STYLE_NAME_TAKEN', { message: createMessage('styleBuiltIn', taken) });
}

function owned(context: Context) {
  const viewer = viewerOf(context);
  return ({ memberId }: CustomStyleRow) => requireAuthor(viewer, memberId, 'STYLE_FORBIDDEN');
}
