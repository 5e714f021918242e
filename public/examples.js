/** The operations that a first visit finds in the explorer's tabs. */
self.EXAMPLES = [
  {
    query: `# Register once, then log in: the button asks
# which of the two. The access token that comes
# back goes into the field above by itself.
mutation Register($account: RegisterInput!) {
  register(input: $account) {
    id
    nickname
  }
}

mutation LogIn($email: String!, $password: String!) {
  login(input: { email: $email, password: $password }) {
    accessToken
    refreshToken
  }
}
`,
    variables: `{
  "account": {
    "email": "mina@example.org",
    "password": "an owl in the attic",
    "memberName": "Mina"
  },
  "email": "mina@example.org",
  "password": "an owl in the attic"
}`,
  },
  {
    query: `# The newest articles. Take an id from here
# for the next tab.
query Articles {
  articles(page: 1, size: 5) {
    contents {
      id
      title
      authorName
      tags
      commentCount
    }
    pagination {
      totalElements
    }
  }
}
`,
  },
  {
    query: `# The comments of an article, newest first,
# each with its replies.
query Comments($article: ID!) {
  comments(articleId: $article, page: 1, size: 10) {
    contents {
      id
      content
      author {
        nickname
        profileImg
      }
      replies {
        content
        authorName
      }
    }
  }
}
`,
    variables: '{ "article": "1" }',
  },
  {
    query: `# Needs an access token.
mutation Write($article: CreateArticleInput!) {
  createArticle(input: $article) {
    id
    contentHtml
  }
}

mutation Comment($comment: CreateCommentInput!) {
  createComment(input: $comment) {
    id
  }
}
`,
    variables: `{
  "article": {
    "title": "Owls",
    "content": "There is one in the **attic**.",
    "tags": ["owls"]
  },
  "comment": {
    "articleId": "1",
    "content": "Mine lives in the barn."
  }
}`,
  },
  {
    query: `# Needs an access token. Leave it running, and let
# another member comment on one of your articles.
subscription Notifications {
  notificationReceived {
    id
    type
    message
    actor {
      nickname
    }
  }
}
`,
  },
];
