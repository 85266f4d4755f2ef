import { PAGE_INFO, type Route } from '@store-gateway/rest';

const NOTE = 'id title ownerId folder { name }';
export const ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/notes',
    summary: 'List notes',
    document: `query listNotes($folderId: ID, $sort: [NoteOrder!], $limit: Int, $after: ID) {
      notesConnection(folderId: $folderId, orderBy: $sort, limit: $limit, after: $after) { nodes { ${NOTE} } totalCount ${PAGE_INFO} }
    }`,
    status: 200,
  },
  {
    method: 'get',
    path: '/topics',
    summary: 'List topics',
    document: `query listTopics($limit: Int, $after: ID) {
      topicsConnection(limit: $limit, after: $after) { nodes { id name } ${PAGE_INFO} }
    }`,
    status: 200,
  },
  {
    method: 'get',
    path: '/notes/:noteId',
    summary: 'Get a note',
    document: `query getNote($noteId: ID!) { note(id: $noteId) { ${NOTE} } }`,
    status: 200,
  },
  {
    method: 'post',
    path: '/notes',
    summary: 'Add a note',
    document: `mutation createNote($input: NewNote!) { createNote(input: $input) { ${NOTE} } }`,
    status: 201,
  },
  {
    method: 'patch',
    path: '/notes/:noteId',
    summary: 'Change a note',
    document: `mutation updateNote($noteId: ID!, $input: UpdateNoteInput!, $expected: [String!]) {
      updateNote(id: $noteId, input: $input, expected: $expected) { ${NOTE} }
    }`,
    status: 200,
  },
  {
    method: 'delete',
    path: '/notes/:noteId',
    summary: 'Remove a note',
    document: `mutation deleteNote($noteId: ID!, $expected: [String!]) {
      deleteNote(id: $noteId, expected: $expected) { id }
    }`,
    status: 204,
  },
];
