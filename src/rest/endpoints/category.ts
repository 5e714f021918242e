/** Categories, over REST. */
import { CreateCategoryArgs, UpdateCategoryArgs } from '../../schema/category.js';
import { IdArgs } from '../../schema/scalars.js';
import { type Endpoint, GET_DEFAULTS, nothing, rootField, rootList } from '../engine/endpoint.js';
import { field, path } from '../engine/source.js';
import { CATEGORY } from './shapes.js';

const createCategory: Endpoint = {
  method: 'POST',
  path: '/categories',
  group: 'Category',
  summary: 'Create a category',
  description:
    'Authentication required. A category for your own articles. Its name must be unique among your categories, ' +
    'ignoring case. At most 20 categories per member in addition to the default one.',
  example: { categoryName: 'Recipes' },
  auth: 'bearer',
  status: 201,
  message: 'categoryCreated',
  body: 'json',
  operation: `mutation ($name: String!) { createCategory(name: $name) { ...Category } } ${CATEGORY}`,
  variables: { name: field('categoryName') },
  args: CreateCategoryArgs,
  result: rootField('createCategory'),
  errors: ['CATEGORY_LIMIT_REACHED', 'CATEGORY_NAME_TAKEN'],
};

const listCategories: Endpoint = {
  ...GET_DEFAULTS,
  path: '/categories',
  group: 'Category',
  summary: 'List your categories, the default one first',
  description: 'Authentication required. Not paginated: there are at most 21.',
  example: {},
  auth: 'bearer',
  operation: `{ categories { ...Category } } ${CATEGORY}`,
  variables: {},
  result: rootList('categories'),
};

const readCategory: Endpoint = {
  ...GET_DEFAULTS,
  path: '/categories/{categoryId}',
  group: 'Category',
  summary: 'Read one of your categories',
  description: 'Owner only. The name of the category is also part of its articles, which are public.',
  example: { categoryId: 3 },
  auth: 'bearer',
  operation: `query ($id: ID!) { category(id: $id) { ...Category } } ${CATEGORY}`,
  variables: { id: path('categoryId') },
  args: IdArgs,
  result: rootField('category'),
  errors: ['CATEGORY_FORBIDDEN', 'CATEGORY_NOT_FOUND'],
};

const updateCategory: Endpoint = {
  method: 'PUT',
  path: '/categories/{categoryId}',
  group: 'Category',
  summary: 'Rename one of your categories',
  description: 'Owner only. The default category cannot be renamed.',
  example: { categoryId: 3, categoryName: 'Journeys' },
  auth: 'bearer',
  status: 200,
  message: 'categoryRenamed',
  body: 'json',
  operation: `mutation ($id: ID!, $name: String!) { updateCategory(id: $id, name: $name) { ...Category } } ${CATEGORY}`,
  variables: { id: path('categoryId'), name: field('categoryName') },
  args: UpdateCategoryArgs,
  result: rootField('updateCategory'),
  errors: ['CATEGORY_FORBIDDEN', 'CATEGORY_NAME_TAKEN', 'CATEGORY_NOT_FOUND', 'DEFAULT_CATEGORY_FIXED'],
};

const deleteCategory: Endpoint = {
  method: 'DELETE',
  path: '/categories/{categoryId}',
  group: 'Category',
  summary: 'Delete one of your categories; its articles move to the default one',
  description: 'Owner only. No article is deleted. The default category cannot be deleted.',
  example: { categoryId: 3 },
  auth: 'bearer',
  status: 200,
  message: 'categoryDeleted',
  body: 'none',
  operation: 'mutation ($id: ID!) { deleteCategory(id: $id) { id } }',
  variables: { id: path('categoryId') },
  args: IdArgs,
  result: nothing,
  errors: ['CATEGORY_FORBIDDEN', 'CATEGORY_NOT_FOUND', 'DEFAULT_CATEGORY_FIXED'],
};

export const categoryEndpoints = [createCategory, listCategories, readCategory, updateCategory, deleteCategory];
