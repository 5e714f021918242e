/** JSON Feed 1.1. */
import type { Feed, FeedItem } from './feed.js';

export function writeJsonFeed(feed: Feed): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: feed.title,
    home_page_url: feed.siteUrl,
    feed_url: feed.selfUrl,
    description: feed.description,
    ...(feed.language !== null && { language: feed.language }),
    items: feed.items.map(describeItem),
  });
}

function describeItem(item: FeedItem): object {
  return {
    id: item.uri,
    url: item.url,
    title: item.title,
    ...(item.language !== null && { language: item.language }),
    content_html: item.html,
    summary: item.excerpt,
    ...(item.image !== null && { image: item.image }),
    date_published: item.published,
    date_modified: item.updated,
    authors: [{ name: item.author }],
    tags: item.tags,
  };
}
