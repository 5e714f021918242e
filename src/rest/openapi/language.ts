/** The headers of language negotiation in the OpenAPI document. */
import { LANGUAGES } from '../../messages/message.js';
import { HEADER_VALUE } from './scalars.js';

export const LANGUAGE_PARAMETER = { $ref: '#/components/parameters/Accept-Language' };
export const LANGUAGE_HEADER = { 'Content-Language': { $ref: '#/components/headers/Content-Language' } };

/** The components that the two references above point to. */
export const LANGUAGE_COMPONENTS = {
  parameters: {
    'Accept-Language': {
      name: 'Accept-Language',
      in: 'header',
      description:
        'Preferred languages of messages (RFC 9110 §12.5.4). ' +
        `Supported: ${LANGUAGES.join(' and ')}; the default is en.`,
      schema: { ...HEADER_VALUE, default: 'en' },
      example: 'en-GB, en;q=0.9, ko;q=0.5',
    },
  },
  headers: {
    'Content-Language': {
      description: 'The language of the messages in this response.',
      schema: { type: 'string', enum: LANGUAGES },
    },
  },
};
