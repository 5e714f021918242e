/** Direct AI requests of members. Neither requests nor responses are stored. */
import { Arg, Args, Ctx, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import { CUSTOM_STYLE_OF_MEMBER, type CustomStyleRow } from '../models/custom-style.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { AuthorizedMutation } from '../schema/auth.js';
import { IdempotencyKey } from '../schema/idempotency.js';
import { GeneratedTextType, GenerateTextArgs, StyledTextType, TransformStyleInput } from '../schema/style.js';
import { promptForMember } from '../services/ai/prompt.js';
import { rewriteInStyle } from '../services/ai/style.js';
import { viewerOf } from '../services/auth/policy.js';
import { parseId, requireRow } from './row.js';

/** Includes reasoning tokens. */
const MAX_OUTPUT_TOKENS = 4_000;

@Resolver()
export class StyleResolver {
  @IdempotencyKey('ignored: no transaction')
  @ApiTokenScopes('ai')
  @AuthorizedMutation(() => StyledTextType, {
    description: 'Transforms a text into another style with the AI provider. Uses your daily AI budget.',
  })
  async transformStyle(
    @Arg('input', () => TransformStyleInput, { description: 'The text and the style.' }) input: TransformStyleInput,
    @Ctx() context: Context,
  ): Promise<StyledTextType> {
    const { writingStyle, customStyleId } = requireOneStyle(input);
    const customStyle = customStyleId === null ? null : await findOwn(context, customStyleId);
    const style = writingStyle ?? requireRow(customStyle, 'STYLE_NOT_FOUND');
    const transformedContent = await rewriteInStyle(context, input.content, style);
    const styleName = typeof style === 'string' ? style : style.name;
    return { transformedContent, writingStyle, customStyle, styleName };
  }

  @IdempotencyKey('ignored: no transaction')
  @ApiTokenScopes('ai')
  @AuthorizedMutation(() => GeneratedTextType, {
    description: 'Sends a prompt to the AI provider, for testing. Uses your daily AI budget.',
  })
  async generateText(
    @Args(() => GenerateTextArgs) { prompt }: GenerateTextArgs,
    @Ctx() context: Context,
  ): Promise<GeneratedTextType> {
    const messages = [{ role: 'user', content: prompt }] as const;
    const { text } = await promptForMember(context, {
      operation: 'prompt',
      messages,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
    });
    return { text };
  }
}

/** @throws AppError VALIDATION_FAILED for both fields, unless exactly one is given */
function requireOneStyle({ writingStyle = null, customStyleId = null }: TransformStyleInput) {
  if ((writingStyle === null) !== (customStyleId === null)) return { writingStyle, customStyleId };
  const message = createMessage(writingStyle === null ? 'styleMissing' : 'styleAmbiguous');
  throw new AppError('VALIDATION_FAILED', {
    errors: ['writingStyle', 'customStyleId'].map((field) => ({ field, message })),
  });
}

/** Another member's style is reported as not found, so that its existence is not disclosed. */
async function findOwn(context: Context, id: string): Promise<CustomStyleRow> {
  const styleId = parseId(id, 'STYLE_NOT_FOUND');
  const [style] = await context.database.query(CUSTOM_STYLE_OF_MEMBER, [styleId, viewerOf(context).memberId]);
  return requireRow(style, 'STYLE_NOT_FOUND');
}
