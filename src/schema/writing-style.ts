/** The built-in writing styles. */

import { registerEnumType } from 'type-graphql';
import { type WritingStyle as Style, WRITING_STYLES } from '../ai/style.js';

export type WritingStyle = Style;

export const WritingStyle = Object.fromEntries(WRITING_STYLES.map((style) => [style, style])) as {
  [Style in WritingStyle]: Style;
};

registerEnumType(WritingStyle, {
  name: 'WritingStyle',
  description: 'A built-in writing style, available to all members.',
  valuesConfig: {
    FRIENDLY: { description: 'Warm and conversational, as to a friend.' },
    PROFESSIONAL: { description: 'Clear, polite and matter-of-fact.' },
    SHORT_FORM: { description: 'Brief, as for a post in a feed.' },
  },
});
