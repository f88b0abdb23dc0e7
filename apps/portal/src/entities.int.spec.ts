import { describeEntities } from '@paycode/persistence/testing';
import { migrations } from '../migrations';
import { entities } from './entities';

describe('entities of the portal', () => describeEntities(entities, migrations));
