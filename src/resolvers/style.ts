/** Direct AI requests of members. Neither requests nor responses are stored. */
import { Arg, Args, Authorized, Ctx, Mutation, Resolver } from 'type-graphql';
import { promptForMember } from '../ai/prompt.js';
import { putIntoStyle } from '../ai/style.js';
import { viewerOf } from '../auth/policy.js';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';
import { CUSTOM_STYLE_OF_MEMBER, type CustomStyleRow } from '../models/custom-style.js';
import { rowId } from '../schema/id.js';
import { GeneratedTextType, GenerateTextArgs, StyledTextType, TransformStyleInput } from '../schema/style.js';
import { requireRow } from './row.js';

/** Maximum output in tokens, including reasoning tokens. */
const LONGEST_ANSWER = 4_000;

@Resolver()
export class StyleResolver {
  @Authorized()
  @Mutation(() => StyledTextType, {
    description:
      'Transforms a text into another style with the AI provider. Uses your daily AI budget. Authentication required.',
  })
  async transformStyle(
    @Arg('input', () => TransformStyleInput, { description: 'The text and the style.' }) input: TransformStyleInput,
    @Ctx() context: Context,
  ): Promise<StyledTextType> {
    const { writingStyle, customStyleId } = requireOneStyle(input);
    const customStyle = customStyleId === null ? null : await findOwn(context, customStyleId);
    const style = writingStyle ?? requireRow(customStyle, 'STYLE_NOT_FOUND');
    const transformedContent = await putIntoStyle(context, input.content, style);
    const styleName = typeof style === 'string' ? style : style.name;
    return { transformedContent, writingStyle, customStyle, styleName };
  }

  @Authorized()
  @Mutation(() => GeneratedTextType, {
    description: 'Sends a prompt to the AI provider, for testing. Uses your daily AI budget. Authentication required.',
  })
  async generateText(
    @Args(() => GenerateTextArgs) { prompt }: GenerateTextArgs,
    @Ctx() context: Context,
  ): Promise<GeneratedTextType> {
    const messages = [{ role: 'user', content: prompt }] as const;
    const { text } = await promptForMember(context, { operation: 'prompt', messages, maxOutputTokens: LONGEST_ANSWER });
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
  const values = [rowId(id, 'STYLE_NOT_FOUND'), viewerOf(context).memberId];
  const [style] = await context.database.query(CUSTOM_STYLE_OF_MEMBER, values);
  return requireRow(style, 'STYLE_NOT_FOUND');
}
