/** Settings of image storage. */
import { oneOf, text, webUrl } from '../values.js';
import { group } from './group.js';

export const imageSettings = group('Images', {
  STORAGE: oneOf(
    'local',
    's3',
  )({
    default: 'local',
    desc: 'local or s3',
    about: 'In `DATA_DIR`, or in a bucket. Several machines need the bucket.',
  }),
  S3_BUCKET: text({
    default: '',
    otherwise: 'none',
    desc: 'the name of a bucket',
    about: 'Must be there. Needed with `s3`.',
  }),
  S3_ENDPOINT: webUrl({
    default: '',
    otherwise: 'that of Amazon in the region',
    desc: 'an address such as https://s3.example.org',
    about: 'Of another server that speaks S3.',
  }),
  S3_REGION: text({ default: 'us-east-1', desc: 'a region such as eu-central-1', about: 'Where the bucket is.' }),
  S3_ACCESS_KEY_ID: text({
    default: '',
    otherwise: 'none',
    desc: 'an access key id',
    about: 'Needed with `s3`.',
    isSecret: true,
  }),
  S3_SECRET_ACCESS_KEY: text({
    default: '',
    otherwise: 'none',
    desc: 'a secret access key',
    about: 'Needed with `s3`.',
    isSecret: true,
  }),
});
