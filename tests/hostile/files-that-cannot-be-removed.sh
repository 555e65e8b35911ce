mkdir kept; touch kept/file; chattr +i kept/file kept; chattr +a .; setfattr -n user.x -v y .; setfacl -m u:root:--- kept; chmod 000 kept
