/** Every model, for Sequelize to bind to the pool. */
import { Article } from './article.js';
import { Category } from './category.js';
import { Comment } from './comment.js';
import { Member } from './member.js';
import { Session } from './session.js';

export const models = [Member, Session, Category, Article, Comment];
