export { ShardOwnership } from './shard-ownership.service';
export { ShardOwnershipModule } from './shard-ownership.module';
