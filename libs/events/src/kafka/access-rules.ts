import { type AclEntry, AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import { deadLetterTopic, type TopicDefinition } from '../topics/topic-catalog';

interface Rule {
  service: string;
  resource: { type: AclResourceTypes; name: string };
  operations: AclOperationTypes[];
}

const { READ, WRITE, DESCRIBE } = AclOperationTypes;
const { TOPIC, GROUP } = AclResourceTypes;

/** What each service may do, from the catalog: write what it produces, read what it consumes, park what it cannot process (T-16, T-19). */
function rulesOf(topic: TopicDefinition): Rule[] {
  const named = { type: TOPIC, name: topic.name };
  return [
    ...topic.producers.map(service => ({ service, resource: named, operations: [WRITE, DESCRIBE] })),
    ...topic.consumers.flatMap(({ group, service }) => [
      { service, resource: named, operations: [READ, DESCRIBE] },
      { service, resource: { type: GROUP, name: group }, operations: [READ, DESCRIBE] },
      { service, resource: { type: TOPIC, name: deadLetterTopic(topic.name, group) }, operations: [WRITE, DESCRIBE] },
    ]),
  ];
}

/** Access control entries of the platform; the principal of a service is its name. Everything else stays denied. */
export function accessRules(topics: readonly TopicDefinition[]): AclEntry[] {
  return topics.flatMap(rulesOf).flatMap(({ service, resource, operations }) =>
    operations.map(operation => ({
      resourceType: resource.type,
      resourceName: resource.name,
      resourcePatternType: ResourcePatternTypes.LITERAL,
      principal: `User:${service}`,
      host: '*',
      operation,
      permissionType: AclPermissionTypes.ALLOW,
    })),
  );
}
