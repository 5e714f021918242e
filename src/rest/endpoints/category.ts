/** Categories, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { shape } from '../engine/shape.js';
import { field } from '../engine/source.js';

const CATEGORY = shape({
  fragment: `fragment Category on Category { id categoryName: name memberId }`,
  description: 'A category of a member.',
  example: { id: 3, categoryName: 'Travel', memberId: 1 },
});

const createCategory: Endpoint = {
  method: 'POST',
  path: '/categories',
  summary: 'Create a category',
  description:
    'Authentication required. A category for your own articles. Its name must be unique among your categories, ' +
    'ignoring case. At most 20 categories per member in addition to the default one.',
  example: { categoryName: 'Recipes' },
  status: 201,
  message: 'categoryCreated',
  operation: ['createCategory', CATEGORY],
  variables: { name: field('categoryName') },
  errors: ['CATEGORY_LIMIT_REACHED', 'CATEGORY_NAME_TAKEN'],
};

const listCategories: Endpoint = {
  method: 'GET',
  path: '/categories',
  summary: 'List your categories, the default one first',
  description: 'Authentication required. Not paginated.',
  operation: ['categories', CATEGORY],
};

const readCategory: Endpoint = {
  method: 'GET',
  path: '/categories/{categoryId}',
  summary: 'Read one of your categories',
  description: 'Owner only. The name of the category is also part of its articles, which are public.',
  example: { categoryId: 3 },
  operation: ['category', CATEGORY],
  errors: ['CATEGORY_FORBIDDEN', 'CATEGORY_NOT_FOUND'],
};

const updateCategory: Endpoint = {
  method: 'PUT',
  path: '/categories/{categoryId}',
  summary: 'Rename one of your categories',
  description: 'Owner only. The default category cannot be renamed.',
  example: { categoryId: 3, categoryName: 'Journeys' },
  message: 'categoryRenamed',
  operation: ['updateCategory', CATEGORY],
  variables: { name: field('categoryName') },
  errors: ['CATEGORY_FORBIDDEN', 'CATEGORY_NAME_TAKEN', 'CATEGORY_NOT_FOUND', 'DEFAULT_CATEGORY_FIXED'],
};

const deleteCategory: Endpoint = {
  method: 'DELETE',
  path: '/categories/{categoryId}',
  summary: 'Delete one of your categories; its articles move to the default one',
  description: 'Owner only. No article is deleted. The default category cannot be deleted.',
  example: { categoryId: 3 },
  message: 'categoryDeleted',
  operation: 'deleteCategory',
  errors: ['CATEGORY_FORBIDDEN', 'CATEGORY_NOT_FOUND', 'DEFAULT_CATEGORY_FIXED'],
};

export const categoryEndpoints = [createCategory, listCategories, readCategory, updateCategory, deleteCategory];
