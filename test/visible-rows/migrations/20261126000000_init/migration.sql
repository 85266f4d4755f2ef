-- For searches
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- CreateTable
CREATE TABLE "topics" (
    "id" BIGSERIAL NOT NULL,
    "team" TEXT NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "topics_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "folders" (
    "id" BIGSERIAL NOT NULL,
    "owner_id" BIGINT,
    "team" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "rank" INTEGER NOT NULL,
    "parent_id" BIGINT,

    CONSTRAINT "folders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notes" (
    "id" BIGSERIAL NOT NULL,
    "owner_id" BIGINT NOT NULL,
    "team" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "code" INTEGER NOT NULL,
    "rank" INTEGER NOT NULL,
    "folder_id" BIGINT,
    "topic_id" BIGINT NOT NULL,

    CONSTRAINT "notes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tags" (
    "id" UUID NOT NULL,
    "owner_id" BIGINT NOT NULL,
    "label" TEXT NOT NULL,
    "note_id" BIGINT NOT NULL,

    CONSTRAINT "tags_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "topics_name_id_idx" ON "topics"("name", "id");

-- CreateIndex
CREATE INDEX "topics_team_id_idx" ON "topics"("team", "id");

-- CreateIndex
CREATE INDEX "topics_team_name_id_idx" ON "topics"("team", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "topics_team_name_key" ON "topics"("team", "name");

-- CreateIndex
CREATE INDEX "folders_name_id_idx" ON "folders"("name", "id");

-- CreateIndex
CREATE INDEX "folders_rank_name_id_idx" ON "folders"("rank" DESC, "name", "id");

-- CreateIndex
CREATE INDEX "folders_parent_id_id_idx" ON "folders"("parent_id", "id");

-- CreateIndex
CREATE INDEX "folders_parent_id_name_id_idx" ON "folders"("parent_id", "name", "id");

-- CreateIndex
CREATE INDEX "folders_parent_id_rank_name_id_idx" ON "folders"("parent_id", "rank" DESC, "name", "id");

-- CreateIndex
CREATE INDEX "folders_owner_id_id_idx" ON "folders"("owner_id", "id");

-- CreateIndex
CREATE INDEX "folders_owner_id_name_id_idx" ON "folders"("owner_id", "name", "id");

-- CreateIndex
CREATE INDEX "folders_owner_id_rank_name_id_idx" ON "folders"("owner_id", "rank" DESC, "name", "id");

-- CreateIndex
CREATE INDEX "folders_owner_id_parent_id_id_idx" ON "folders"("owner_id", "parent_id", "id");

-- CreateIndex
CREATE INDEX "folders_owner_id_parent_id_name_id_idx" ON "folders"("owner_id", "parent_id", "name", "id");

-- CreateIndex
CREATE INDEX "folders_owner_id_parent_id_rank_name_id_idx" ON "folders"("owner_id", "parent_id", "rank" DESC, "name", "id");

-- CreateIndex
CREATE INDEX "folders_team_id_idx" ON "folders"("team", "id");

-- CreateIndex
CREATE INDEX "folders_team_name_id_idx" ON "folders"("team", "name", "id");

-- CreateIndex
CREATE INDEX "folders_team_rank_name_id_idx" ON "folders"("team", "rank" DESC, "name", "id");

-- CreateIndex
CREATE INDEX "folders_team_parent_id_id_idx" ON "folders"("team", "parent_id", "id");

-- CreateIndex
CREATE INDEX "folders_team_parent_id_name_id_idx" ON "folders"("team", "parent_id", "name", "id");

-- CreateIndex
CREATE INDEX "folders_team_parent_id_rank_name_id_idx" ON "folders"("team", "parent_id", "rank" DESC, "name", "id");

-- CreateIndex
CREATE INDEX "folders_owner_id_team_id_idx" ON "folders"("owner_id", "team", "id");

-- CreateIndex
CREATE INDEX "folders_owner_id_team_name_id_idx" ON "folders"("owner_id", "team", "name", "id");

-- CreateIndex
CREATE INDEX "folders_owner_id_team_rank_name_id_idx" ON "folders"("owner_id", "team", "rank" DESC, "name", "id");

-- CreateIndex
CREATE INDEX "folders_owner_id_team_parent_id_id_idx" ON "folders"("owner_id", "team", "parent_id", "id");

-- CreateIndex
CREATE INDEX "folders_owner_id_team_parent_id_name_id_idx" ON "folders"("owner_id", "team", "parent_id", "name", "id");

-- CreateIndex
CREATE INDEX "folders_owner_id_team_parent_id_rank_name_id_idx" ON "folders"("owner_id", "team", "parent_id", "rank" DESC, "name", "id");

-- CreateIndex
CREATE INDEX "folders_name_idx" ON "folders" USING GIN ("name" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "folders_owner_id_team_name_key" ON "folders"("owner_id", "team", "name");

-- CreateIndex
CREATE INDEX "notes_title_id_idx" ON "notes"("title", "id");

-- CreateIndex
CREATE INDEX "notes_rank_title_id_idx" ON "notes"("rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_folder_id_id_idx" ON "notes"("folder_id", "id");

-- CreateIndex
CREATE INDEX "notes_folder_id_title_id_idx" ON "notes"("folder_id", "title", "id");

-- CreateIndex
CREATE INDEX "notes_folder_id_rank_title_id_idx" ON "notes"("folder_id", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_topic_id_id_idx" ON "notes"("topic_id", "id");

-- CreateIndex
CREATE INDEX "notes_topic_id_title_id_idx" ON "notes"("topic_id", "title", "id");

-- CreateIndex
CREATE INDEX "notes_topic_id_rank_title_id_idx" ON "notes"("topic_id", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_folder_id_topic_id_id_idx" ON "notes"("folder_id", "topic_id", "id");

-- CreateIndex
CREATE INDEX "notes_folder_id_topic_id_title_id_idx" ON "notes"("folder_id", "topic_id", "title", "id");

-- CreateIndex
CREATE INDEX "notes_folder_id_topic_id_rank_title_id_idx" ON "notes"("folder_id", "topic_id", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_id_idx" ON "notes"("owner_id", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_title_id_idx" ON "notes"("owner_id", "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_rank_title_id_idx" ON "notes"("owner_id", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_folder_id_id_idx" ON "notes"("owner_id", "folder_id", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_folder_id_title_id_idx" ON "notes"("owner_id", "folder_id", "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_folder_id_rank_title_id_idx" ON "notes"("owner_id", "folder_id", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_topic_id_id_idx" ON "notes"("owner_id", "topic_id", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_topic_id_title_id_idx" ON "notes"("owner_id", "topic_id", "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_topic_id_rank_title_id_idx" ON "notes"("owner_id", "topic_id", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_folder_id_topic_id_id_idx" ON "notes"("owner_id", "folder_id", "topic_id", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_folder_id_topic_id_title_id_idx" ON "notes"("owner_id", "folder_id", "topic_id", "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_folder_id_topic_id_rank_title_id_idx" ON "notes"("owner_id", "folder_id", "topic_id", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_team_id_idx" ON "notes"("team", "id");

-- CreateIndex
CREATE INDEX "notes_team_title_id_idx" ON "notes"("team", "title", "id");

-- CreateIndex
CREATE INDEX "notes_team_rank_title_id_idx" ON "notes"("team", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_team_folder_id_id_idx" ON "notes"("team", "folder_id", "id");

-- CreateIndex
CREATE INDEX "notes_team_folder_id_title_id_idx" ON "notes"("team", "folder_id", "title", "id");

-- CreateIndex
CREATE INDEX "notes_team_folder_id_rank_title_id_idx" ON "notes"("team", "folder_id", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_team_topic_id_id_idx" ON "notes"("team", "topic_id", "id");

-- CreateIndex
CREATE INDEX "notes_team_topic_id_title_id_idx" ON "notes"("team", "topic_id", "title", "id");

-- CreateIndex
CREATE INDEX "notes_team_topic_id_rank_title_id_idx" ON "notes"("team", "topic_id", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_team_folder_id_topic_id_id_idx" ON "notes"("team", "folder_id", "topic_id", "id");

-- CreateIndex
CREATE INDEX "notes_team_folder_id_topic_id_title_id_idx" ON "notes"("team", "folder_id", "topic_id", "title", "id");

-- CreateIndex
CREATE INDEX "notes_team_folder_id_topic_id_rank_title_id_idx" ON "notes"("team", "folder_id", "topic_id", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_team_id_idx" ON "notes"("owner_id", "team", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_team_title_id_idx" ON "notes"("owner_id", "team", "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_team_rank_title_id_idx" ON "notes"("owner_id", "team", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_team_folder_id_id_idx" ON "notes"("owner_id", "team", "folder_id", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_team_folder_id_title_id_idx" ON "notes"("owner_id", "team", "folder_id", "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_team_folder_id_rank_title_id_idx" ON "notes"("owner_id", "team", "folder_id", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_team_topic_id_id_idx" ON "notes"("owner_id", "team", "topic_id", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_team_topic_id_title_id_idx" ON "notes"("owner_id", "team", "topic_id", "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_team_topic_id_rank_title_id_idx" ON "notes"("owner_id", "team", "topic_id", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_team_folder_id_topic_id_id_idx" ON "notes"("owner_id", "team", "folder_id", "topic_id", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_team_folder_id_topic_id_title_id_idx" ON "notes"("owner_id", "team", "folder_id", "topic_id", "title", "id");

-- CreateIndex
CREATE INDEX "notes_owner_id_team_folder_id_topic_id_rank_title_id_idx" ON "notes"("owner_id", "team", "folder_id", "topic_id", "rank" DESC, "title", "id");

-- CreateIndex
CREATE INDEX "notes_title_idx" ON "notes" USING GIN ("title" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "notes_owner_id_team_code_key" ON "notes"("owner_id", "team", "code");

-- CreateIndex
CREATE INDEX "tags_label_id_idx" ON "tags"("label", "id");

-- CreateIndex
CREATE INDEX "tags_note_id_id_idx" ON "tags"("note_id", "id");

-- CreateIndex
CREATE INDEX "tags_note_id_label_id_idx" ON "tags"("note_id", "label", "id");

-- CreateIndex
CREATE INDEX "tags_owner_id_id_idx" ON "tags"("owner_id", "id");

-- CreateIndex
CREATE INDEX "tags_owner_id_label_id_idx" ON "tags"("owner_id", "label", "id");

-- CreateIndex
CREATE INDEX "tags_owner_id_note_id_id_idx" ON "tags"("owner_id", "note_id", "id");

-- CreateIndex
CREATE INDEX "tags_owner_id_note_id_label_id_idx" ON "tags"("owner_id", "note_id", "label", "id");

-- AddForeignKey
ALTER TABLE "folders" ADD CONSTRAINT "folders_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "folders"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notes" ADD CONSTRAINT "notes_folder_id_fkey" FOREIGN KEY ("folder_id") REFERENCES "folders"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notes" ADD CONSTRAINT "notes_topic_id_fkey" FOREIGN KEY ("topic_id") REFERENCES "topics"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tags" ADD CONSTRAINT "tags_note_id_fkey" FOREIGN KEY ("note_id") REFERENCES "notes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
