/** Custom styles, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape } from '../engine/shape.js';
import { TIMES } from './shapes.js';

const STYLE = plainShape(
  'Style',
  'A custom style of the authenticated member. Times are in UTC.',
  {
    id: 1,
    name: 'Harbor radio',
    role: 'a radio presenter',
    instruction: 'Cheerful, and never longer than a minute.',
    ...TIMES,
  },
  'CustomStyle',
);

const listStyles: Endpoint = {
  method: 'GET',
  path: '/members/me/custom-styles',
  group: 'Style',
  summary: 'List your custom styles',
  description: 'Owner only. Sorted by name, not paginated.',
  operation: ['customStyles', STYLE],
};

const createStyle: Endpoint = {
  method: 'POST',
  path: '/members/me/custom-styles',
  group: 'Style',
  summary: 'Create a custom style',
  description:
    'Authentication required. A writing style in your own words, in which texts can be rewritten. At most ' +
    '10 per member. The name must not be that of a built-in style.',
  example: { name: 'Logbook', role: 'a ship’s officer', instruction: 'Short sentences. Wind and weather first.' },
  status: 201,
  message: 'styleCreated',
  operation: ['createCustomStyle', STYLE],
  errors: ['STYLE_LIMIT_REACHED', 'STYLE_NAME_TAKEN'],
};

const updateStyle: Endpoint = {
  method: 'PUT',
  path: '/members/me/custom-styles/{styleId}',
  group: 'Style',
  summary: 'Update one of your custom styles',
  description: 'Owner only. All three fields are required and replaced.',
  example: {
    styleId: 1,
    name: 'Harbor radio',
    role: 'a radio presenter',
    instruction: 'Cheerful, and never longer than a minute.',
  },
  message: 'styleChanged',
  operation: ['updateCustomStyle', STYLE],
  errors: ['STYLE_FORBIDDEN', 'STYLE_NAME_TAKEN', 'STYLE_NOT_FOUND'],
};

const deleteStyle: Endpoint = {
  method: 'DELETE',
  path: '/members/me/custom-styles/{styleId}',
  group: 'Style',
  summary: 'Delete one of your custom styles',
  description: 'Owner only. Texts that were rewritten in it do not change.',
  message: 'styleDeleted',
  operation: 'deleteCustomStyle',
  errors: ['STYLE_FORBIDDEN', 'STYLE_NOT_FOUND'],
};

export const customStyleEndpoints = [listStyles, createStyle, updateStyle, deleteStyle];
