/** The textbook contender: Apollo Server, Sequelize models and a DataLoader per relation, as in a good tutorial. */
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import DataLoader from 'dataloader';
import { GraphQLError } from 'graphql';
import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  Sequelize,
} from 'sequelize';

const sequelize = new Sequelize(process.env.DATABASE_URL ?? '', {
  logging: false,
  pool: { max: Number(process.env.DATABASE_POOL_SIZE) },
  define: { underscored: true },
});

class Member extends Model<InferAttributes<Member>, InferCreationAttributes<Member>> {
  declare id: string;
  declare nickname: string;
}
Member.init(
  { id: { type: DataTypes.BIGINT, primaryKey: true }, nickname: DataTypes.STRING },
  { sequelize, tableName: 'members' },
);

class Article extends Model<InferAttributes<Article>, InferCreationAttributes<Article>> {
  declare id: string;
  declare title: string;
}
Article.init(
  { id: { type: DataTypes.BIGINT, primaryKey: true }, title: DataTypes.STRING },
  { sequelize, tableName: 'articles' },
);

class Comment extends Model<InferAttributes<Comment>, InferCreationAttributes<Comment>> {
  declare id: string;
  declare articleId: string;
  declare parentId: string | null;
  declare memberId: string | null;
  declare content: string;
  declare deletedAt: Date | null;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}
Comment.init(
  {
    id: { type: DataTypes.BIGINT, primaryKey: true },
    articleId: DataTypes.BIGINT,
    parentId: DataTypes.BIGINT,
    memberId: DataTypes.BIGINT,
    content: DataTypes.STRING,
    deletedAt: DataTypes.DATE,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'comments' },
);

const typeDefs = `
  type Comment {
    id: ID! content: String! authorName: String! memberId: ID! createdAt: String! updatedAt: String! replies: [Comment!]!
  }
  type Pagination {
    currentPage: Int! pageSize: Int! totalElements: Int! totalPages: Int! last: Boolean! first: Boolean!
  }
  type CommentPage { contents: [Comment!]! pagination: Pagination! }
  type Query { comments(articleId: ID!, page: Int = 1, size: Int = 10): CommentPage! }
`;

type Loaders = ReturnType<typeof createLoaders>;

function createLoaders() {
  return {
    member: new DataLoader(async (ids: readonly string[]) => {
      const members = await Member.findAll({ where: { id: [...ids] } });
      const byId = new Map(members.map((member) => [member.id, member]));
      return ids.map((id) => byId.get(id));
    }),
    replies: new DataLoader(async (ids: readonly string[]) => {
      const order: [string, string][] = [
        ['createdAt', 'ASC'],
        ['id', 'ASC'],
      ];
      const replies = await Comment.findAll({ where: { parentId: [...ids] }, order });
      return ids.map((id) => replies.filter(({ parentId }) => parentId === id));
    }),
  };
}

const resolvers = {
  Query: {
    async comments(_: unknown, { articleId, page, size }: { articleId: string; page: number; size: number }) {
      if (!(await Article.findByPk(articleId))) throw new GraphQLError('No such article.');
      const { rows, count } = await Comment.findAndCountAll({
        where: { articleId, parentId: null },
        order: [
          ['createdAt', 'DESC'],
          ['id', 'DESC'],
        ],
        limit: size,
        offset: (page - 1) * size,
      });
      const totalPages = Math.ceil(count / size);
      const last = page >= totalPages;
      const first = page === 1 || totalPages === 0;
      return {
        contents: rows,
        pagination: { currentPage: page, pageSize: size, totalElements: count, totalPages, last, first },
      };
    },
  },
  Comment: {
    content: (comment: Comment) => (comment.deletedAt ? '(deleted)' : comment.content),
    memberId: (comment: Comment) => comment.memberId ?? '0',
    async authorName(comment: Comment, _: unknown, { member }: Loaders) {
      if (comment.deletedAt) return '(deleted)';
      return (comment.memberId && (await member.load(comment.memberId))?.nickname) || '(withdrawn)';
    },
    createdAt: (comment: Comment) => toSecond(comment.createdAt),
    updatedAt: (comment: Comment) => toSecond(comment.updatedAt),
    replies: (comment: Comment, _: unknown, { replies }: Loaders) => replies.load(comment.id),
  },
};

function toSecond(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

const server = new ApolloServer<Loaders>({ typeDefs, resolvers });
await startStandaloneServer(server, {
  listen: { port: Number(process.env.PORT), host: '127.0.0.1' },
  context: async () => createLoaders(),
});
