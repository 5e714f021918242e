/** Images for the content of articles, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { shape } from '../engine/shape.js';
import { IMAGE_SIZE, IMAGE_SIZE_EXAMPLE, IMAGE_URL, TIMES } from './shapes.js';

const IMAGE = shape({
  fragment: `fragment Image on Image { id url width height type sizes { ...ImageSize } createdAt } ${IMAGE_SIZE}`,
  description: 'An image that the authenticated member uploaded for the content of articles. Times are in UTC.',
  example: {
    id: 1,
    url: `${IMAGE_URL}.webp`,
    width: 640,
    height: 480,
    type: 'image/webp',
    sizes: [IMAGE_SIZE_EXAMPLE],
    createdAt: TIMES.createdAt,
  },
});

const uploadImage: Endpoint = {
  method: 'POST',
  path: '/images',
  summary: 'Upload an image for the content of articles',
  description:
    'Authentication required. Put the `url` of the response into the content of an article, for example as ' +
    '`![A lighthouse](url)`; `contentHtml` then lists all sizes in `srcset`. Images are stored as WebP, without metadata, ' +
    'and upright. An image is removed when no article, draft or revision has referred to it for seven days.',
  status: 201,
  message: 'imageUploaded',
  operation: ['uploadImage', IMAGE],
  errors: ['IMAGE_INVALID', 'IMAGE_LIMIT_REACHED'],
};

const listImages: Endpoint = {
  method: 'GET',
  path: '/images',
  summary: 'List your images, newest first',
  description:
    'Authentication required. Only images that you uploaded for the content of articles: profile images and the ' +
    'images of articles are not included.',
  operation: ['myImages', IMAGE],
};

const deleteImage: Endpoint = {
  method: 'DELETE',
  path: '/images/{imageId}',
  summary: 'Delete one of your images',
  description:
    'Owner only. Rejected while one of your articles or drafts contains the image. Caches may show it for up to one more day.',
  message: 'imageDeleted',
  operation: 'deleteImage',
  errors: ['IMAGE_IN_USE', 'IMAGE_NOT_FOUND'],
};

export const imageEndpoints = [uploadImage, listImages, deleteImage];
