/** Texts of the pages that the service writes itself, in English. */

export const pages = {
  frontLead:
    'The backend of a journal or blog: articles, categories, comments and notifications, over a GraphQL API and a REST API. It has no pages for readers.',
  frontSiteAbout: 'The website on which people read these articles.',
  frontExplorer: 'GraphQL explorer',
  frontExplorerAbout: 'Query editor with completion and subscriptions. The tabs contain examples.',
  frontReference: 'REST reference',
  frontReferenceAbout: 'All endpoints, schemas and errors. Requests can be sent from the page.',
  frontSandboxAbout: 'The GraphQL API in Apollo’s explorer, which is loaded from the internet.',
  frontDescriptionAbout: 'OpenAPI description of the REST API, for code generators.',
  frontFeed: 'Feed',
  frontFeedAbout: 'The newest articles as RSS; also available as Atom and JSON Feed.',
  frontSitemap: 'Sitemap',
  frontSitemapAbout: 'All articles, for search engines.',
  frontLlmsAbout: 'The newest articles as Markdown files, for language models.',
  frontNewest: 'Newest articles',
  frontCounts: (articles: number, tags: number) =>
    `${articles === 1 ? '1 article' : `${articles} articles`}, ${tags === 1 ? '1 tag' : `${tags} tags`}`,
  frontComments: (count: number) => (count === 1 ? '1 comment' : `${count} comments`),
  frontEmpty: 'There are no articles yet. Load the sample journal, or import your own:',
  frontUnreadable: 'The articles cannot be read at the moment: the database does not respond. Try again later.',
  frontRead: 'Read',
  frontWrite: 'Create an account and write',
  frontAgent: 'Connect an agent, which drafts what you publish',
  frontFollow: 'Follow what changes, for copies, builds and other programs',
  frontLiveness: 'liveness',
  frontReadiness: 'readiness',

  graphqlLead: 'This is the address of the GraphQL API, to which clients send queries. In a browser, use these pages:',
  graphqlExample: 'A query',
  graphqlHome: 'Front page',
  graphqlHomeAbout: 'The newest articles, and all pages of the service.',
};
