/** The example operations in the tabs of the explorer. */
self.EXAMPLES = [
  {
    query: `# The newest articles. Run it with the button,
# or with Ctrl+Enter.
query Articles($size: Int!) {
  articles(page: 1, size: $size) {
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
    variables: '{ "size": 5 }',
  },
  {
    query: `# Register once, then log in: select the operation
# in the menu of the run button. The access token
# is copied to the field above automatically.
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
    query: `# Requires an access token.
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
    query: `# Requires an access token. Keep it running while
# another member comments on one of your articles.
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
