/** The tables of schema.prisma, as far as rows of any of them are made, changed and compared. */
export interface Table {
  readonly model: Model;
  readonly name: string;
  /** The field and the column of each foreign key, and whose id it is. */
  readonly references: readonly (readonly [field: string, to: Model])[];
  readonly unique: readonly string[];
  readonly columns: Readonly<Record<string, string>>;
}

export type Model = 'Topic' | 'Folder' | 'Note' | 'Tag';

/** Fields by their names; numbers as their digits. */
export type Row = Readonly<Record<string, string | null>>;
export type World = Readonly<Record<Model, readonly Row[]>>;

/** Each after those that it refers to. */
export const TABLES: readonly Table[] = [
  {
    model: 'Topic',
    name: 'topics',
    references: [],
    unique: ['team', 'name'],
    columns: { id: 'id', team: 'team', name: 'name' },
  },
  {
    model: 'Folder',
    name: 'folders',
    references: [['parentId', 'Folder']],
    unique: ['ownerId', 'team', 'name'],
    columns: {
      id: 'id',
      ownerId: 'owner_id',
      team: 'team',
      name: 'name',
      rank: 'rank',
      parentId: 'parent_id',
    },
  },
  {
    model: 'Note',
    name: 'notes',
    references: [
      ['folderId', 'Folder'],
      ['topicId', 'Topic'],
    ],
    unique: ['ownerId', 'team', 'code'],
    columns: {
      id: 'id',
      ownerId: 'owner_id',
      team: 'team',
      title: 'title',
      code: 'code',
      rank: 'rank',
      folderId: 'folder_id',
      topicId: 'topic_id',
    },
  },
  {
    model: 'Tag',
    name: 'tags',
    references: [['noteId', 'Note']],
    unique: ['id'],
    columns: { id: 'id', ownerId: 'owner_id', label: 'label', noteId: 'note_id' },
  },
];

export function tableOf(model: Model): Table {
  const table = TABLES.find((each) => each.model === model);
  if (table === undefined) {
    throw new Error(`there is no table of ${model}`);
  }
  return table;
}
