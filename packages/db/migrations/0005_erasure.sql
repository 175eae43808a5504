-- What erasing a participant needs beside the tables themselves.
SELECT 1;
