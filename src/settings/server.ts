/** Settings: where the service listens, and who stands in front of it. */
import { trustedProxies } from '../client-address.js';
import { flag, origins, pageBase, text, webUrl, wholeNumber } from '../config-values.js';
import { group } from './group.js';

export const serverSettings = group('The service', {
  PORT: wholeNumber({
    default: '4000',
    desc: 'a port from 0 (any free one) to 65535',
    about: 'Where to listen.',
  }),
  HOST: text({
    default: '0.0.0.0',
    desc: 'the address to listen on',
    about: '`127.0.0.1` where only a proxy on the same machine should reach it.',
  }),
  PUBLIC_URL: webUrl({
    default: '',
    otherwise: '`http://localhost:PORT`',
    desc: 'an address such as https://journal.example.org',
    about: 'Under which clients reach the service. Addresses in answers, such as those of images, begin with it.',
  }),
  TRUST_PROXY: trustedProxies({
    default: '0',
    desc: 'the number of proxies in front, or their addresses such as 10.0.0.0/8, separated by commas',
    about:
      'Whose `X-Forwarded-For` is believed. Too little, and all clients are one to the limits; too much, and each may pretend to be another.',
  }),
  CORS_ORIGINS: origins({
    default: '',
    otherwise: 'none',
    desc: 'origins such as https://example.org, separated by commas',
    about: 'Web pages that may call the service from a browser. Apollo Sandbox always may.',
  }),
  DATA_DIR: text({
    default: '.daybook',
    desc: 'a folder',
    about: 'The embedded database, images and generated secrets. Back it up. Processes on one machine may share it.',
  }),
});

export const interfaceSettings = group('The interface', {
  REST_PAGE_BASE: pageBase({
    default: '1',
    desc: '0 or 1',
    about: 'What REST clients call the first page.',
  }),
  GRAPHQL_INTROSPECTION: flag({
    default: 'true',
    desc: 'true or false',
    about: 'Whether clients may ask for the schema. Explorers need it.',
  }),
});
