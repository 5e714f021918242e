/** Images for the content of articles, over REST. */
import { PageArgs } from '../../schema/page.js';
import { IdArgs } from '../../schema/scalars.js';
import { type Endpoint, GET_DEFAULTS, nothing, rootField } from '../engine/endpoint.js';
import { file, pageNumber, path, query } from '../engine/source.js';
import { IMAGE, PAGINATION } from './shapes.js';

const uploadImage: Endpoint = {
  method: 'POST',
  path: '/images',
  group: 'Image',
  summary: 'Upload an image for the content of articles',
  description:
    'Authentication required. Put the `url` of the response into the content of an article, for example as ' +
    '`![A lighthouse](url)`; `contentHtml` then lists all sizes in `srcset`. Images are stored as WebP, without metadata, ' +
    'and upright. An image is removed when no article has referred to it for seven days.',
  example: {},
  auth: 'bearer',
  status: 201,
  message: 'imageUploaded',
  body: 'file',
  operation: `mutation ($file: Upload!) { uploadImage(file: $file) { ...Image } } ${IMAGE}`,
  variables: { file: file() },
  result: rootField('uploadImage'),
  errors: ['IMAGE_INVALID', 'IMAGE_LIMIT_REACHED'],
};

const listImages: Endpoint = {
  ...GET_DEFAULTS,
  path: '/images',
  group: 'Image',
  summary: 'List your images, newest first',
  description:
    'Authentication required. Only images that you uploaded for the content of articles: profile images and the ' +
    'images of articles are not included.',
  example: { page: 1, size: 10 },
  auth: 'bearer',
  operation: `query ($page: Int, $size: Int) {
    myImages(page: $page, size: $size) { contents { ...Image } pagination { ...Pagination } }
  } ${IMAGE} ${PAGINATION}`,
  variables: { page: pageNumber(), size: query('size') },
  args: PageArgs,
  result: rootField('myImages'),
};

const deleteImage: Endpoint = {
  method: 'DELETE',
  path: '/images/{imageId}',
  group: 'Image',
  summary: 'Delete one of your images',
  description:
    'Owner only. Rejected while one of your articles contains the image. Caches may show it for up to one more day.',
  example: { imageId: 1 },
  auth: 'bearer',
  status: 200,
  message: 'imageDeleted',
  body: 'none',
  operation: 'mutation ($id: ID!) { deleteImage(id: $id) { id } }',
  variables: { id: path('imageId') },
  args: IdArgs,
  result: nothing,
  errors: ['IMAGE_IN_USE', 'IMAGE_NOT_FOUND'],
};

export const imageEndpoints = [uploadImage, listImages, deleteImage];
