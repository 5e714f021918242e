/** Custom styles, over REST. */
import { IdArgs } from '../../schema/id.js';
import { type Endpoint, nothing, rootField, rootList } from '../engine/endpoint.js';
import { field, object, path } from '../engine/source.js';
import { STYLE } from './shapes.js';

const INPUT = object({ name: field('name'), role: field('role'), instruction: field('instruction') });

const listStyles: Endpoint = {
  method: 'GET',
  path: '/members/me/custom-styles',
  group: 'Style',
  summary: 'List your styles',
  description: 'By name, all of them at once: there are at most ten. Only you see them.',
  example: {},
  auth: 'bearer',
  status: 200,
  message: 'ok',
  body: 'none',
  operation: `{ customStyles { ...Style } } ${STYLE}`,
  variables: {},
  result: rootList('customStyles'),
  errors: [],
};

const createStyle: Endpoint = {
  method: 'POST',
  path: '/members/me/custom-styles',
  group: 'Style',
  summary: 'Describe a style of your own',
  description:
    'A way of writing in your own words, for texts to be put into. You can have ten; a name cannot be one of the ' +
    'built-in styles.',
  example: { name: 'Logbook', role: 'a ship’s officer', instruction: 'Short sentences. Wind and weather first.' },
  auth: 'bearer',
  status: 201,
  message: 'styleCreated',
  body: 'json',
  operation: `mutation ($input: CustomStyleInput!) { createCustomStyle(input: $input) { ...Style } } ${STYLE}`,
  variables: { input: INPUT },
  result: rootField('createCustomStyle'),
  errors: ['STYLE_LIMIT_REACHED', 'STYLE_NAME_TAKEN'],
};

const updateStyle: Endpoint = {
  method: 'PUT',
  path: '/members/me/custom-styles/{styleId}',
  group: 'Style',
  summary: 'Describe one of your styles anew',
  description: 'Only its owner may. All three fields are replaced.',
  example: {
    styleId: 1,
    name: 'Harbour radio',
    role: 'a radio presenter',
    instruction: 'Cheerful, and never longer than a minute.',
  },
  auth: 'bearer',
  status: 200,
  message: 'styleChanged',
  body: 'json',
  operation: `mutation ($id: ID!, $input: CustomStyleInput!) {
    updateCustomStyle(id: $id, input: $input) { ...Style }
  } ${STYLE}`,
  variables: { id: path('styleId'), input: INPUT },
  args: IdArgs,
  result: rootField('updateCustomStyle'),
  errors: ['STYLE_FORBIDDEN', 'STYLE_NAME_TAKEN', 'STYLE_NOT_FOUND'],
};

const deleteStyle: Endpoint = {
  method: 'DELETE',
  path: '/members/me/custom-styles/{styleId}',
  group: 'Style',
  summary: 'Delete one of your styles',
  description: 'Only its owner may. Texts that were put into it stay as they are.',
  example: { styleId: 1 },
  auth: 'bearer',
  status: 200,
  message: 'styleDeleted',
  body: 'none',
  operation: 'mutation ($id: ID!) { deleteCustomStyle(id: $id) { id } }',
  variables: { id: path('styleId') },
  args: IdArgs,
  result: nothing,
  errors: ['STYLE_FORBIDDEN', 'STYLE_NOT_FOUND'],
};

export const customStyleEndpoints = [listStyles, createStyle, updateStyle, deleteStyle];
