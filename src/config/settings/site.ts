/** Settings of the website that shows the articles, to which feeds and the sitemap link. */
import { addressOfId, text, webUrl } from '../values.js';
import { group } from './group.js';

export const siteSettings = group('Feeds and the sitemap', {
  SITE_TITLE: text({
    default: 'Daybook',
    desc: 'a name',
    about: 'What [feeds](feeds.md) call the journal.',
  }),
  SITE_URL: webUrl({
    default: '',
    otherwise: '`PUBLIC_URL`',
    desc: 'an address such as https://example.org',
    about: 'The front page.',
  }),
  ARTICLE_URL: addressOfId({
    default: '',
    otherwise: '`PUBLIC_URL/api/articles/{id}`',
    desc: 'an address with {id} in it, such as https://example.org/articles/{id}',
    about: 'The page of an article, with `{id}` where its number goes.',
  }),
});
